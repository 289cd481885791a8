import { sql } from 'kysely';
import type { DeliveryState } from '../../../core/stores/delivery.ts';
import { isHeld } from './held.ts';

/** The state of a delivery as it is shown, beside its destination where there is one: see `core/stores/delivery.ts`. */
export const shownDeliveryState = sql<DeliveryState>`CASE
  WHEN deliveries.state NOT IN ('pending', 'retrying') THEN deliveries.state
  WHEN destinations.id IS NULL THEN 'cancelled'
  WHEN ${isHeld} THEN 'held'
  ELSE deliveries.state END`;
