import type { EventRecord } from '@sluice/contract/dashboard-letters';
import { stringifyExact } from '../../../lib/api/exact-json.ts';
import { asCurl } from '../../../lib/as-curl.ts';

/** A command that sends the same event once more, as a new one. The key is left for whoever runs it to fill in. */
export function sendAgainCommand(event: EventRecord, origin: string): string {
  const { type, icon, payload, entity, timestamp } = event;
  const sent = {
    type,
    ...(icon === null ? {} : { icon }),
    payload,
    timestamp,
    ...(entity ? { entity } : {}),
  };
  return asCurl({
    method: 'POST',
    url: `${origin}/v1/ingest`,
    headers: { Authorization: 'Bearer <API_KEY>', 'Content-Type': 'application/json' },
    body: stringifyExact({ events: [sent] }, 0),
  });
}
