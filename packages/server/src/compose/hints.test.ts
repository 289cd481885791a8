import { describe, expect, test } from 'bun:test';
import type { WorkKind } from '../core/stores/change.ts';
import { createSignal } from '../core/work/signal.ts';
import { readSettings } from '../settings.ts';
import { shareHints } from './hints.ts';

/** A node with these roles: what it hints at, and what wakes it. */
function startNode(roles: string) {
  const hinted: WorkKind[] = [];
  const raised: WorkKind[] = [];
  let receive: (what: WorkKind) => void = () => {};
  const [eventsDue, deliveriesDue] = [createSignal(), createSignal()];
  shareHints(
    { settings: readSettings({ SLUICE_ROLES: roles }), eventsDue, deliveriesDue },
    {
      hintAtWork: what => void hinted.push(what),
      onWorkHinted(listener) {
        receive = listener;
      },
    },
  );
  eventsDue.on(() => void raised.push('events'));
  deliveriesDue.on(() => void raised.push('deliveries'));
  return { eventsDue, deliveriesDue, hinted, raised, receive: (what: WorkKind) => receive(what) };
}

describe('hints between nodes', () => {
  test('go out for what others do, and not for what is done here', () => {
    const { eventsDue, deliveriesDue, hinted } = startNode('ingest,process');
    eventsDue.raise();
    deliveriesDue.raise();
    expect(hinted).toEqual(['deliveries']);
  });

  test('wake who does it, and nobody passes them on', () => {
    const ingest = startNode('ingest');
    const deliver = startNode('deliver');
    for (const node of [ingest, deliver]) {
      node.receive('events');
      node.receive('deliveries');
    }
    expect([ingest.raised, ingest.hinted]).toEqual([[], []]);
    expect([deliver.raised, deliver.hinted]).toEqual([['deliveries'], []]);
  });
});
