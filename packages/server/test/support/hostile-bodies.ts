import { gzipSync } from 'node:zlib';

/**
 * Bodies within the limits of size that cost as much as can be to read: each is a guess at what some part of reading
 * does badly. A bench measures them, and a test holds that they are answered alike wherever they are read.
 */
export interface HostileBody {
  readonly name: string;
  readonly body: Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

const MiB = 1024 * 1024;

/** A text of this size, of as many different pieces as it takes. */
function fill(bytes: number, piece: (n: number) => string, between = ','): string {
  const pieces: string[] = [];
  for (let n = 0, size = 0; ; n++) {
    const next = piece(n);
    size += next.length + between.length;
    if (size > bytes) return pieces.join(between);
    pieces.push(next);
  }
}

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const nested = (depth: number, inner = '1') => '['.repeat(depth) + inner + ']'.repeat(depth);
const nestedObjects = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;

/** What an object of this size may hold: the inside of a payload. */
const contents: Readonly<Record<string, (bytes: number) => string>> = {
  'many keys, no two alike': bytes => fill(bytes, n => `"${n.toString(36)}":0`),
  'one key over and over': bytes => fill(bytes, () => '"a":0'),
  'small numbers': bytes => `"a":[${fill(bytes - 8, n => String(n % 10))}]`,
  'numbers of sixteen digits': bytes => `"a":[${fill(bytes - 8, n => String(1_000_000_000_000_000 + n))}]`,
  'numbers of twenty digits': bytes => `"a":[${fill(bytes - 8, n => String(10n ** 19n + BigInt(n)))}]`,
  'one number of all digits': bytes => `"a":${'9'.repeat(bytes - 8)}`,
  'small numbers, and one that is long': bytes =>
    `"b":12345678901234567890,"a":[${fill(bytes - 64, n => String(n % 10))}]`,
  'keys, and one long number': bytes =>
    `"x":12345678901234567890,${fill(bytes - 64, n => `"${n.toString(36)}":0`)}`,
  'texts that look like long numbers': bytes =>
    `"b":12345678901234567890,"a":[${fill(bytes - 64, () => '" 1234567890123456"')}]`,
  'quotation marks in a text before a long number': bytes =>
    `"a":"${'\\"'.repeat(Math.floor((bytes - 64) / 2))}","b":12345678901234567890`,
  'backslashes before a long number': bytes =>
    `"a":"${'\\\\'.repeat(Math.floor((bytes - 64) / 2))}","b":12345678901234567890`,
  'digits with dots, no exponent': bytes => `"a":"${'1.'.repeat(Math.floor((bytes - 8) / 2))}"`,
  'commas and digits in a text': bytes => `"a":"${',1.1'.repeat(Math.floor((bytes - 8) / 4))}"`,
  'numbers beyond a double': bytes => `"a":[${fill(bytes - 8, () => '1e999')}]`,
  'numbers of long exponents': bytes => `"a":[${fill(bytes - 8, () => '1e-100')}]`,
  'escaped characters': bytes => `"a":"${'\\u0041'.repeat(Math.floor((bytes - 8) / 6))}"`,
  'escaped NULs': bytes => `"a":"${'\\u0000'.repeat(Math.floor((bytes - 8) / 6))}"`,
  'texts of one escape': bytes => `"a":[${fill(bytes - 8, () => '"\\u00e9"')}]`,
  'small numbers, and one escape': bytes => `"b":"\\u00e9","a":[${fill(bytes - 32, n => String(n % 10))}]`,
  'empty objects': bytes => `"a":[${fill(bytes - 8, () => '{}')}]`,
  'empty arrays': bytes => `"a":[${fill(bytes - 8, () => '[]')}]`,
  'objects of one key': bytes => `"a":[${fill(bytes - 8, n => `{"k${n % 1000}":0}`)}]`,
  'objects of a key each their own': bytes => `"a":[${fill(bytes - 8, n => `{"${n.toString(36)}":0}`)}]`,
  'arrays sixty deep': bytes => `"a":[${fill(bytes - 8, () => nested(60))}]`,
  'objects sixty deep': bytes => `"a":[${fill(bytes - 8, () => nestedObjects(60))}]`,
  'too deep at the very end': bytes => `"a":[${fill(bytes - 2_000, () => '[]')},${nested(500)}]`,
  blanks: bytes => `"a":${' '.repeat(bytes - 8)}1`,
  'three-byte characters': bytes => `"a":"${'€'.repeat(Math.floor((bytes - 8) / 3))}"`,
  'keys of numbers': bytes => fill(bytes, n => `"${n * 7}":0`),
  'sparse keys of numbers': bytes => fill(bytes, n => `"${(n * 2_654_435_761) % 4_294_967_291}":0`),
};

const event = (inside: string) => `{"type":"x","payload":{${inside}}}`;
const batch = (events: string) => `{"events":[${events}]}`;

/** For `POST /v1/ingest`. */
export function hostileBatches(bodyBytes = 5 * MiB, eventBytes = MiB): HostileBody[] {
  const each = Object.entries(contents).map(([name, inside]) => {
    const count = Math.floor(bodyBytes / eventBytes);
    const size = Math.floor((bodyBytes - 64) / count) - 64;
    return { name, body: bytesOf(batch(fill(bodyBytes - 64, () => event(inside(size))))) };
  });
  const others: Record<string, string> = {
    'brackets and nothing else': '['.repeat(bodyBytes),
    'braces of keys and nothing else': '{"a":'.repeat(Math.floor(bodyBytes / 5)),
    'a number over and over in place of events': batch(fill(bodyBytes - 64, () => '1')),
    'empty events': batch(fill(bodyBytes - 64, () => '{}')),
    'a thousand events, each with thousands of unknown fields': batch(
      Array.from(
        { length: 1_000 },
        () => `{${fill(bodyBytes / 1_000 - 16, n => `"${n.toString(36)}":0`)}}`,
      ).join(','),
    ),
    'a thousand events, each wrong in every field': batch(
      Array.from(
        { length: 1_000 },
        () =>
          `{"type":0,"icon":0,"payload":0,"id":0,"timestamp":0,"entity":{"kind":0,"x":"${'y'.repeat(bodyBytes / 1_000 - 120)}"}}`,
      ).join(','),
    ),
    'unknown fields beside the events': `{"events":[],${fill(bodyBytes - 64, n => `"${n.toString(36)}":0`)}}`,
    'long types': batch(
      Array.from({ length: 1_000 }, () => `{"type":"${'é'.repeat(bodyBytes / 2_000 - 16)}"}`).join(','),
    ),
    'long external ids': batch(
      Array.from(
        { length: 1_000 },
        () =>
          `{"type":"x","entity":{"kind":"k","external_id":"${'\u{1F600}'.repeat(bodyBytes / 8_000)}${'x'.repeat(bodyBytes / 4_000)}"}}`,
      ).join(','),
    ),
    'no events, and numbers': `{"a":[${fill(bodyBytes - 64, n => String(n % 10))}]}`,
    'an array of arrays': `[${fill(bodyBytes - 8, () => '[]')}]`,
    'one text': `"${'x'.repeat(bodyBytes - 8)}"`,
    'quotation marks': '"'.repeat(bodyBytes),
    'a thousand small events with all fields': batch(
      fill(
        Math.min(bodyBytes - 64, 900_000),
        n =>
          `{"type":"order.paid","icon":"x","payload":{"n":${n}},"id":"${n}","timestamp":"2026-01-31T12:00:00Z","entity":{"kind":"k","external_id":"${n}"}}`,
      )
        .split('},{')
        .slice(0, 1_000)
        .join('},{'),
    ),
  };
  const whole = [...each, ...Object.entries(others).map(([name, text]) => ({ name, body: bytesOf(text) }))];
  return [
    ...whole,
    gzipped(
      'small numbers, in gzip',
      whole.find(({ name }) => name === 'small numbers'),
    ),
  ];
}

const entity = (inside: string) => `{"kind":"k","external_id":"x","traits":{${inside}}}`;
const many = (entities: string) => `{"entities":[${entities}]}`;

/** Those that make traits which may be stored. */
const STORED_CONTENTS = [
  'many keys, no two alike',
  'keys, and one long number',
  'one key over and over',
  'texts of one escape',
  'arrays sixty deep',
];

/** For `POST /v1/entities`. */
export function hostileEntities(bodyBytes = 5 * MiB): HostileBody[] {
  const one = Object.entries(contents).map(([name, inside]) => ({
    name: `one entity: ${name}`,
    body: bytesOf(entity(inside(bodyBytes - 64))),
  }));
  const each = STORED_CONTENTS.map(name => {
    const traits = contents[name]?.(60 * 1024) ?? '';
    return {
      name: `entities of 60 KiB: ${name}`,
      body: bytesOf(many(fill(bodyBytes - 64, n => entity(traits).replace('"x"', `"x${n}"`)))),
    };
  });
  const others: Record<string, string> = {
    'brackets and nothing else': '['.repeat(bodyBytes),
    'braces of keys and nothing else': '{"a":'.repeat(Math.floor(bodyBytes / 5)),
    'a number over and over in place of entities': many(fill(bodyBytes - 64, () => '1')),
    'empty entities': many(fill(bodyBytes - 64, () => '{}')),
    'unknown fields beside the entities': `{"entities":[],${fill(bodyBytes - 64, n => `"${n.toString(36)}":0`)}}`,
    'traits that are taken away': entity(fill(bodyBytes - 64, n => `"${n.toString(36)}":null`)),
    'the same entity over and over': many(
      Array.from({ length: 1_000 }, () =>
        entity(fill(bodyBytes / 1_000 - 64, n => `"${n.toString(36)}":0`)),
      ).join(','),
    ),
    'a thousand entities of many traits': many(
      Array.from({ length: 1_000 }, (_, n) =>
        entity(fill(bodyBytes / 1_000 - 64, i => `"trait_${i}":${n}`)).replace('"x"', `"m${n}"`),
      ).join(','),
    ),
  };
  return [...one, ...each, ...Object.entries(others).map(([name, text]) => ({ name, body: bytesOf(text) }))];
}

/** For `POST /dashboard/api/pipelines/dry-run`. */
export function hostileDryRuns(eventBytes = MiB): HostileBody[] {
  const asMany = Array.from({ length: 9_900 }, (_, n) => `"${n.toString(36)}":0`).join(',');
  const payloads = Object.entries(contents).map(([name, inside]) => [name, inside(eventBytes - 64)] as const);
  return [...payloads, ['as many keys as are read', asMany] as const].map(([name, payload]) => ({
    name,
    body: bytesOf(`{"pipeline":{},"event":${event(payload)}}`),
  }));
}

/** For `POST /whk/<token>`. */
export function hostileWebhooks(bodyBytes = 5 * MiB, eventBytes = MiB): HostileBody[] {
  const size = eventBytes - 16;
  const objects = Object.entries(contents).map(([name, inside]) => ({
    name,
    body: bytesOf(`{${inside(size)}}`),
  }));
  const others: Record<string, string> = {
    'brackets and nothing else': '['.repeat(eventBytes),
    'braces of keys and nothing else': '{"a":'.repeat(Math.floor(eventBytes / 5)),
    'an array of numbers': `[${fill(size, n => String(n % 10))}]`,
    'too large as a whole': `[${fill(bodyBytes - 16, n => String(n % 10))}]`,
  };
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const forms: Record<string, string> = {
    'a form of ampersands': '&'.repeat(bodyBytes),
    'a form of escapes': `a=${'%41'.repeat(Math.floor(eventBytes - 64))}`,
    'a form of percent signs': `a=${'%'.repeat(eventBytes)}`,
    'a form of one name over and over': fill(bodyBytes, () => 'a', '&'),
    'a form of many names': fill(bodyBytes, n => n.toString(36), '&'),
    'a form of escaped NULs': `a=${'%00'.repeat(eventBytes)}`,
    'a form of escaped control characters': fill(bodyBytes, () => '%01', '&'),
  };
  const json = [...objects, ...Object.entries(others).map(([name, text]) => ({ name, body: bytesOf(text) }))];
  return [
    ...json,
    gzipped(
      'small numbers, in gzip',
      json.find(({ name }) => name === 'small numbers'),
    ),
    {
      name: 'five megabytes in gzip',
      body: gzipSync('0'.repeat(bodyBytes)),
      headers: { 'Content-Encoding': 'gzip' },
    },
    {
      name: 'a bomb in gzip',
      body: gzipSync(Buffer.alloc(64 * bodyBytes, 0x30)),
      headers: { 'Content-Encoding': 'gzip' },
    },
    ...Object.entries(forms).map(([name, text]) => ({
      name,
      body: bytesOf(text).subarray(0, bodyBytes),
      headers: form,
    })),
  ];
}

function gzipped(name: string, plain: HostileBody | undefined): HostileBody {
  if (plain === undefined) throw new Error(`There is nothing to compress for "${name}".`);
  return { name, body: gzipSync(plain.body), headers: { 'Content-Encoding': 'gzip' } };
}
