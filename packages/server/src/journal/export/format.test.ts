import { expect, test } from 'bun:test';
import type { EventSummary } from '@sluice/contract/dashboard-events';
import { exportLines } from './format.ts';

const event: EventSummary = {
  id: 'evt_1',
  type: 'order.paid',
  icon: null,
  state: 'processed',
  outcome: 'partly delivered',
  delivery_states: { delivered: 2, dead: 1 },
  sources: [{ id: 'src_1', name: 'Shop, "the" one' }],
  entity: { kind: 'customer', external_id: 'c7' },
  timestamp: '2026-11-18T00:00:00.000Z',
  received_at: '2026-11-18T00:00:01.000Z',
};

test('a line of NDJSON is the row of the list with the payload as it is stored', () => {
  const line = exportLines.ndjson.line(event, '{"n":12345678901234567890.10}');
  expect(line).toEndWith(',"payload":{"n":12345678901234567890.10}}\n');
  expect(JSON.parse(line)).toMatchObject(event);
  expect(exportLines.ndjson.heading).toBe('');
});

test('a payload that was sent over several lines stands on one', () => {
  const line = exportLines.ndjson.line(event, '{"a": 1,\r\n "b": "x\\ny"}');
  expect(line.trimEnd()).not.toMatch(/[\r\n]/);
  expect(JSON.parse(line)).toMatchObject({ payload: { a: 1, b: 'x\ny' } });
});

test('a line of CSV has a cell for each heading, quoted where it must be', () => {
  const { heading, line } = exportLines.csv;
  expect(heading).toBe(
    'id,type,icon,state,outcome,delivered,deliveries,sources,entity_kind,entity_external_id,timestamp,received_at,payload\r\n',
  );
  expect(line(event, '{"a":"x"}')).toBe(
    'evt_1,order.paid,,processed,partly delivered,2,3,"Shop, ""the"" one",customer,c7,2026-11-18T00:00:00.000Z,2026-11-18T00:00:01.000Z,"{""a"":""x""}"\r\n',
  );
});

test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1'])('CSV makes no formula of %j', type => {
  const line = exportLines.csv.line({ ...event, type }, '{}');
  expect(line).toMatch(type.includes('\r') ? /^evt_1,"'/ : /^evt_1,'/);
  expect(exportLines.ndjson.line({ ...event, type }, '{}')).toContain(JSON.stringify(type));
});
