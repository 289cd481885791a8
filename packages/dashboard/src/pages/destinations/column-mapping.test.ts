import { expect, test } from 'bun:test';
import { defaultFits, suggestMapping } from './column-mapping.ts';

const column = (name: string, over: { required?: boolean; generated?: boolean } = {}) => ({
  name,
  type: 'text',
  required: false,
  generated: false,
  unique: false,
  ...over,
});
const defaults = { id: '$event.id', payload: '$event.payload' };

test('the default mapping fits a table that has its columns, and needs no others', () => {
  const fits = (...columns: ReturnType<typeof column>[]) =>
    defaultFits({ columns, default_columns: defaults });
  expect(fits(column('id'), column('payload'))).toBe(true);
  expect(fits(column('id'), column('payload'), column('note'))).toBe(true);
  expect(fits(column('id'))).toBe(false);
  expect(fits(column('id', { generated: true }), column('payload'))).toBe(false);
  expect(fits(column('id'), column('payload'), column('shop', { required: true }))).toBe(false);
});

test('a mapping is suggested by the names of the columns', () => {
  const columns = ['event_id', 'type', 'raw', 'received_at', 'amount', 'first name'].map(name =>
    column(name),
  );
  expect(suggestMapping({ columns: [column('n', { generated: true }), ...columns] })).toEqual({
    event_id: '$event.id',
    type: '$event.type',
    raw: '$event.payload',
    received_at: '$event.received_at',
    amount: '$event.payload.amount',
    'first name': '$event.payload["first name"]',
  });
});
