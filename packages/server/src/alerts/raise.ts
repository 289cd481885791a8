import { hours } from '../core/clock.ts';
import type { DashboardLinks } from '../core/dashboard-links.ts';
import { systemSourceId } from '../core/event/system-source.ts';
import { newId } from '../core/ids.ts';
import type { AlertStore } from '../core/stores/alerts.ts';
import type { AppendRequest, AppendResult } from '../core/stores/journal.ts';
import { iconOf, pageAbout, systemPayload, type Told } from './payload.ts';

/** Stores a system event by the way that every event takes; one that was stored under its key before stays the only one. */
export type RaiseEvent = (told: Told, now: number) => Promise<void>;

const KEY_COUNTS_MS = hours(24);

export function createRaise(options: {
  readonly alerts: Pick<AlertStore, 'noteRaised'>;
  accept(request: AppendRequest): Promise<AppendResult>;
  sourceSeen(id: string): void;
  readonly links: DashboardLinks;
}): RaiseEvent {
  const { alerts, accept, sourceSeen, links } = options;
  return async (told, now) => {
    const { orgId, type, subject, since } = told;
    const sourceId = systemSourceId(orgId);
    const url = await links.to(orgId, pageAbout(told));
    await accept({
      orgId,
      sourceId,
      receivedAt: now,
      events: [
        {
          id: newId('evt', now),
          type,
          icon: iconOf(type),
          payload: JSON.stringify(systemPayload(told, url)),
          senderId: null,
          entityKind: null,
          entityExternalId: null,
          happenedAt: now,
        },
      ],
      idempotency: {
        scope: sourceId,
        key: `${type} ${subject.id} ${since}`,
        bodyHash: null,
        expiresAt: now + KEY_COUNTS_MS,
      },
    });
    sourceSeen(sourceId);
    await alerts.noteRaised(orgId, type, now);
  };
}
