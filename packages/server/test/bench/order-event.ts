/** The reference event of every measurement: an order as a shop would send it, about 700 bytes. */
export const orderEvent = {
  type: 'order.created',
  icon: '🛒',
  payload: {
    id: 'ord_8Zk2vQ41',
    created_at: '2026-03-14T09:26:53Z',
    currency: 'EUR',
    total: 129.9,
    customer: {
      id: 'cus_1842',
      name: 'Ada Lovelace',
      email: 'ada@example.com',
      phone: '+49 30 901820',
    },
    shipping: { street: 'Unter den Linden 6', city: 'Berlin', postcode: '10117', country: 'DE' },
    items: [
      { sku: 'KB-0042', name: 'Mechanical keyboard', quantity: 1, price: 99.9 },
      { sku: 'CB-0007', name: 'USB-C cable', quantity: 2, price: 15 },
    ],
    payment: { method: 'card', last4: '4242', captured: true },
    notes: 'Please leave the parcel with the neighbours on the second floor.',
  },
};

export const ingestBody = (events: number): string =>
  JSON.stringify({ events: Array.from({ length: events }, () => orderEvent) });

export const webhookBody = JSON.stringify({ type: orderEvent.type, ...orderEvent.payload });

/** How long the JSON of a small event is, as most things that are merely noted are. */
export const smallBytes = 180;

const smallEvent = {
  type: 'order.created',
  payload: { id: 'ord_8Zk2vQ41', total: 129.9, customer: { email: 'ada@example.com' }, notes: '' },
};

export function smallBody(events: number): string {
  const notes = 'Please leave the parcel with the neighbours on the second floor, or in the shed.';
  const room = smallBytes - JSON.stringify(smallEvent).length;
  const event = { ...smallEvent, payload: { ...smallEvent.payload, notes: notes.slice(0, room) } };
  return JSON.stringify({ events: Array.from({ length: events }, () => event) });
}
