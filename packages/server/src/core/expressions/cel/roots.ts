import type { Scope } from '../../event/scope.ts';
import { type CelType, DYN, mapOf, recordOf, STRING, TIMESTAMP } from './types.ts';

/** The names that an expression can begin with, and what is known of them before there is an event. */
export const roots: Readonly<Record<keyof Scope, CelType>> = {
  event: recordOf({
    id: STRING,
    type: STRING,
    icon: STRING,
    sender_id: STRING,
    received_at: TIMESTAMP,
    timestamp: TIMESTAMP,
    headers: mapOf(STRING),
    link: STRING,
  } satisfies Record<keyof Scope['event'], CelType>),
  payload: mapOf(DYN),
  labels: mapOf(DYN),
  entity: recordOf({ kind: STRING, external_id: STRING, traits: mapOf(DYN) } satisfies Record<
    keyof Scope['entity'],
    CelType
  >),
  source: recordOf({ name: STRING } satisfies Record<keyof Scope['source'], CelType>),
};
