/** Names from before the stores: taken out with the last of their users. */
import type { DestinationStore } from './configuration/destinations.ts';
import type { DeliveryQueue } from './delivery-queue.ts';

export * from './configuration/destinations.ts';
export * from './delivery-queue.ts';
export type Destinations = DestinationStore;
export type Deliveries = Omit<DeliveryQueue, 'audited'>;
export type DeliveryStorage = Destinations & Deliveries;
