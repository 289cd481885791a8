import { type Draft, deliveryOf, lineOf } from './clean-logs.ts';

/** What came to a receiver whose protocol carries no id of a delivery, and is not what is recorded. */
export interface Message {
  readonly kind: string;
  readonly recorded: string;
  readonly came: string;
}

const mail = (text: string, encoding = 'quoted-printable') =>
  [
    'Subject: torture.alpha.1.0',
    'Content-Type: multipart/alternative; boundary="x"',
    '',
    '--x',
    'Content-Type: text/plain; charset=utf-8',
    `Content-Transfer-Encoding: ${encoding}`,
    '',
    text,
    '',
    '--x',
    'Content-Type: text/html; charset=utf-8',
    '',
    '<p>Hello</p>',
    '--x--',
  ].join('\r\n');
const row = { event_id: 'evt_1', type: 'torture.alpha.1.0' };

export const messages: readonly Message[] = [
  { kind: 'slack', recorded: '{"text":"evt_1"}', came: '{"text":"evt_1"}' },
  {
    kind: 'email',
    recorded: 'A cup of caf\u00e9 \u00b7 now\n',
    came: mail('A cup of =\r\ncaf=C3=A9 =C2=B7 now'),
  },
  { kind: 'email', recorded: 'Hello\n', came: mail('SGVsbG8=', 'base64') },
  {
    kind: 'postgres',
    recorded: JSON.stringify({ insert_into: 'events', row }),
    came: JSON.stringify(row),
  },
];

export function deliverAs(logs: Draft, { kind, recorded, came }: Message): void {
  for (const { destinations } of logs.setUp)
    for (const destination of destinations)
      if (destination.name === 'good') Object.assign(destination, { kind, name: 'told', secret: null });
  const [attempt] = deliveryOf(logs, 'evt_1').attempts;
  Object.assign(attempt ?? {}, { body: recorded });
  Object.assign(lineOf(logs, 'evt_1'), { receiver: 'told', delivery: null, body: came });
  // Only this one is of interest.
  logs.receivers = logs.receivers.filter(({ event }) => event === 'evt_1');
}

const others = [
  '{"text":"evt_2"}',
  mail('A cup of tea'),
  mail('Qnll', 'base64'),
  JSON.stringify({ ...row, type: 'another' }),
];

export const plantedMessages = messages.map((message, n): [string, string, (logs: Draft) => void] => [
  'bytes',
  `something else than is recorded, sent to ${message.kind} (${n})`,
  logs => deliverAs(logs, { ...message, came: others[n] ?? '' }),
]);
