import { z } from 'zod';
import { createClient } from '../src/client.ts';

/** What the compiler must take and what it must refuse; `tsc` is the test. */
interface Events {
  'order.paid': { readonly order: number; readonly currency?: string };
  'user.invited': { readonly email: string };
}

const connection = { url: 'http://localhost:8080', key: 'k' };

export function declaredByAnInterface(): void {
  const client = createClient<Events>(connection);
  client.track('order.paid', { order: 1 }, { icon: '💳', entity: { kind: 'customer', external_id: 'c' } });
  // @ts-expect-error: no such type
  client.track('order.payed', { order: 1 });
  // @ts-expect-error: the payload of another type
  client.track('order.paid', { email: 'a@example.com' });
  // @ts-expect-error: a wrong field
  client.track('order.paid', { order: '1' });
  // @ts-expect-error: no such option
  client.track('order.paid', { order: 1 }, { icno: '💳' });
}

export function declaredByNothing(): void {
  const client = createClient(connection);
  client.track('anything', { at: 'all' });
  // @ts-expect-error: a payload is an object
  client.track('anything', 'text');
}

export function declaredBySchemas(): void {
  const client = createClient({
    ...connection,
    schemas: { 'order.paid': z.object({ order: z.number(), currency: z.string().default('EUR') }) },
  });
  client.track('order.paid', { order: 1 });
  // @ts-expect-error: no such type
  client.track('order.payed', { order: 1 });
  // @ts-expect-error: a wrong field
  client.track('order.paid', { order: '1' });
}

export function declaredByBoth(): void {
  createClient<Events>({ ...connection, schemas: { 'order.paid': z.object({ order: z.number() }) } });
  // @ts-expect-error: the schema is of another payload
  createClient<Events>({ ...connection, schemas: { 'order.paid': z.object({ order: z.string() }) } });
}

export function declaredWrongly(): void {
  // @ts-expect-error: a payload is an object
  createClient<{ 'order.paid': string }>(connection);
}
