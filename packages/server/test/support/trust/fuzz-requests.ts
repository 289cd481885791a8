import { gzipSync } from 'node:zlib';
import { listenResult } from '@sluice/contract/listen';
import { privateCalls, type Route } from '@sluice/contract/private-calls';
import { z } from 'zod';
import { type JsonSchema, schemasOf } from '../../../src/web/openapi/schemas.ts';
import { createSeeded, type Seeded } from '../../corpus/seeded.ts';
import { basedBody, callCases, routes, UNKNOWN_BASE } from './call-cases.ts';
import { hostileTexts, spoil, valueFor, writeJson } from './hostile-values.ts';
import { publicCalls, undescribedCalls } from './public-cases.ts';
import { addressOf, ghosts, publicPathOf, type Things, textsOf } from './things.ts';

/** Requests that are nearly right, made of the tables of calls: the same seed makes the same ones. */
export interface FuzzRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Uint8Array<ArrayBuffer> | null;
  /** The private call that it is meant to be, or nearly. */
  readonly route: Route | null;
  /** Whether it comes with the session, or the key, of the organisation that asks. */
  readonly isKnown: boolean;
}

/** A call as the generator needs it, private or public. */
interface Template {
  readonly method: string;
  readonly route?: Route;
  /** A private call has a second address, in the organisation of a slug. */
  path(things: Things, slug?: string | null): string;
  readonly queryNames: readonly string[];
  query(things: Things): Readonly<Record<string, string>>;
  body?(things: Things): unknown;
  readonly schemas: readonly JsonSchema[];
  headers(things: Things): Readonly<Record<string, string>>;
}

export interface FuzzSubjects {
  /** Whose session and key are used. */
  readonly own: Things;
  /** Somebody else's. */
  readonly others: Things;
}

/** The n-th request of this seed, whatever became of those before it. */
export function createFuzzer(seed: number): (n: number, subjects: FuzzSubjects) => FuzzRequest {
  const templates = [...routes.map(privateTemplate), ...publicTemplates(), ...undescribedTemplates()];
  const absent = ghosts();
  // Dear to make, and the same each time: a bomb, and all names, as long as they are those of the same things.
  const bomb = copy(gzipSync(new Uint8Array(8 * 1024 * 1024)));
  let named: { of: Things; names: readonly string[] } | null = null;
  return (n, { own, others }) => {
    if (named?.of !== own)
      named = { of: own, names: [own, others, absent].flatMap(of => textsOf(of).map(([, text]) => text)) };
    const { names } = named;
    const random = createSeeded((seed ^ Math.imul(n + 1, 2_654_435_761)) >>> 0);
    // The first figures of neighbouring seeds are neighbours too.
    for (let i = 0; i < 8; i++) random.between(0, 1);
    const template = random.oneOf(templates);
    return makeRequest(template, random, { own, others, absent, names, bomb });
  };
}

/** Every call that has names in its path, with each of them in turn written so. */
export function* requestsWith(
  written: string,
  things: Things,
): Generator<{ readonly method: string; readonly path: string; readonly body: unknown }> {
  for (const { method, path, body } of [...routes.map(privateTemplate), ...publicTemplates()])
    for (const name of new Set([...Object.values(things.parameters), ...Object.values(things.paths)])) {
      const parts = path(things).split('/');
      if (!parts.includes(name)) continue;
      yield {
        method,
        path: parts.map(part => (part === name ? written : part)).join('/'),
        body: body?.(things) ?? {},
      };
    }
}

interface Ingredients extends FuzzSubjects {
  /** Nobody's. */
  readonly absent: Things;
  readonly names: readonly string[];
  /** Small, and large once it is unpacked. */
  readonly bomb: Uint8Array<ArrayBuffer>;
}

function makeRequest(template: Template, random: Seeded, given: Ingredients): FuzzRequest {
  const { own, others, absent, names } = given;
  const isOneIn = (count: number) => random.between(1, count) === 1;
  // What deletes finds something now and then: else soon there would be nothing left to ask about.
  const isMild = template.method !== 'DELETE' || isOneIn(30);
  const about = isMild && !isOneIn(3) ? own : random.oneOf([others, absent]);
  const odd = () => encodeOddly(random.oneOf(hostileTexts), random);
  const slug = isOneIn(4) ? (isOneIn(4) ? random.oneOf([others.slug, absent.slug, odd()]) : own.slug) : null;
  let path = template.path(about, slug);
  if (path !== template.path(others, slug) && isOneIn(6)) {
    for (const thing of [...Object.values(about.parameters), ...Object.values(about.paths)])
      path = path.replace(thing, odd);
  }
  const method = isOneIn(25)
    ? random.oneOf(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'])
    : template.method;
  const headers = new Map(Object.entries({ Accept: 'application/json', ...template.headers(own) }));
  if (path.includes('/live') && !isOneIn(4)) headers.set('Accept', 'text/event-stream');
  let body: Uint8Array<ArrayBuffer> | null = null;
  if (method !== 'GET' && method !== 'HEAD' && (template.body || isOneIn(4))) {
    headers.set('Content-Type', 'application/json');
    body = makeBody(template, random, { own, others }, names);
    if (isOneIn(10)) body = packOddly(body, random, headers, given.bomb);
  }
  // One key for all would have all but the first refused or answered from memory.
  if (!isOneIn(4)) headers.delete('X-Ingest-Idempotency-Key');
  if (isOneIn(4)) headers.set(...oddHeader(random, names));
  return {
    method,
    path: path + makeQuery(template, random, own, names),
    headers: [...headers].filter(([, value]) => isSendable(value)),
    body,
    route: template.route ?? null,
    isKnown: !isOneIn(12),
  };
}

function makeBody(
  template: Template,
  random: Seeded,
  { own, others }: FuzzSubjects,
  names: readonly string[],
): Uint8Array<ArrayBuffer> {
  const things = random.between(0, 3) === 0 ? others : own;
  const fromSchema = template.schemas.length > 0 && random.between(0, 2) === 0;
  let value = fromSchema
    ? valueFor(random.oneOf(template.schemas), random, names)
    : (template.body?.(things) ?? {});
  for (let times = random.oneOf([0, 0, 1, 1, 1, 2, 3]); times > 0; times--)
    value = spoil(value, random, names);
  const text = writeJson(value, random);
  switch (random.between(0, 30)) {
    case 0:
      return encode(text.slice(0, random.between(0, text.length)));
    case 1:
      return encode(`${text}${random.oneOf(['}', ' x', text, '\0'])}`);
    case 2:
      return encode(`\ufeff${text}`);
    case 3:
      return Uint8Array.of(...encode(text.slice(0, 500)), 0xff, 0xc0, 0xed, 0xa0, 0x80);
    case 4:
      return encode('');
    default:
      return encode(text);
  }
}

const encode = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
const copy = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => new Uint8Array(bytes);

/** Compressed, or said to be: whole, cut off, damaged, twice over, or a bomb. */
function packOddly(
  body: Uint8Array<ArrayBuffer>,
  random: Seeded,
  headers: Map<string, string>,
  bomb: Uint8Array<ArrayBuffer>,
): Uint8Array<ArrayBuffer> {
  headers.set(
    'Content-Encoding',
    random.oneOf(['gzip', 'gzip', 'gzip', 'GZIP', 'x-gzip', 'br', 'gzip, gzip', 'identity', 'nonsense']),
  );
  const packed = copy(gzipSync(body));
  switch (random.between(0, 6)) {
    case 0:
      return packed.slice(0, random.between(0, packed.length));
    case 1:
      packed[random.between(0, packed.length - 1)] = random.between(0, 255);
      return packed;
    case 2:
      return copy(gzipSync(packed));
    case 3:
      return bomb;
    case 4:
      return body;
    case 5:
      return copy(Buffer.concat([packed, packed]));
    default:
      return packed;
  }
}

function makeQuery(template: Template, random: Seeded, own: Things, names: readonly string[]): string {
  const parts = Object.entries(template.query(own)).map(
    ([name, value]) => `${name}=${encodeURIComponent(value)}`,
  );
  const some = [
    ...template.queryNames,
    ...(random.between(0, 15) === 0 ? ['nonsense', '', 'limit', 'cursor'] : []),
  ];
  for (const name of some) {
    if (random.between(0, 3) > 0) continue;
    const value =
      random.between(0, 1) === 0 ? random.oneOf(hostileTexts) : random.oneOf([...names, '1', '50', 'true']);
    parts.push(`${name}=${encodeOddly(value, random)}`);
  }
  if (parts.length > 0 && random.between(0, 20) === 0) parts.push(random.oneOf(parts));
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
}

/** As a URL holds a text, and now and then as none should. */
function encodeOddly(text: string, random: Seeded): string {
  if (random.between(0, 12) === 0)
    return random.oneOf(['%', '%zz', '%ff', '%ED%A0%80', '%C0%AF', '%00', '%2e%2e', '+', '%u0041']);
  return encodeURIComponent(text.toWellFormed());
}

const isSendable = (value: string): boolean => /^[\x20-\x7e\x80-\xff]*$/.test(value);

function oddHeader(random: Seeded, names: readonly string[]): [string, string] {
  const text = random.oneOf([...hostileTexts, ...names]).slice(0, 4_000);
  return random.oneOf<[string, string]>([
    [
      'Content-Type',
      random.oneOf([
        'text/plain',
        'application/json; charset=utf-16',
        'application/x-www-form-urlencoded',
        'multipart/form-data; boundary=x',
        'application/vnd.api+json',
        ';',
        '',
        text,
      ]),
    ],
    ['Content-Type', text],
    ['If-Match', random.oneOf(['*', '"1"', '1', 'W/"1"', '"', '-1', '1e3', '99999999999999999999', text])],
    ['X-Ingest-Idempotency-Key', text],
    ['X-Ingest-Signature', random.oneOf(['0'.repeat(64), 'sha256=00', text])],
    ['Authorization', random.oneOf(['Bearer', 'Bearer ', 'Basic YTpi', `Bearer ${text}`, text])],
    ['Cookie', random.oneOf(['sluice_session=', 'sluice_session=%', `sluice_session=${text}`, ';;=;', text])],
    ['Accept', random.oneOf(['*/*', 'text/html', 'text/event-stream', text])],
    ['Origin', text],
    ['Sec-Fetch-Site', random.oneOf(['cross-site', 'none', text])],
    ['X-Sluice-CSRF', random.oneOf(['', '0', text])],
    ['X-Forwarded-For', text],
    ['X-Forwarded-Proto', random.oneOf(['https', text])],
    ['Last-Event-ID', text],
    ['User-Agent', text],
    ['Range', 'bytes=0-1'],
    ['X-Long', 'x'.repeat(8_000)],
  ]);
}

function privateTemplate(route: Route): Template {
  const [method = ''] = route.split(' ');
  const { query, body } = privateCalls[route] as { query?: z.ZodType; body?: z.ZodType };
  const { body: example, query: needed = {} } = callCases[route];
  return {
    method,
    route,
    path: (things, slug) => addressOf(route, things, slug),
    queryNames:
      query instanceof z.ZodObject ? Object.keys(query.shape) : route === 'GET /live' ? ['call'] : [],
    query: () => needed,
    ...(example ? { body: example } : {}),
    schemas: body ? [z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' }) as JsonSchema] : [],
    headers: () => ({ 'X-Sluice-CSRF': '1' }),
  };
}

function publicTemplates(): Template[] {
  const calls = publicCalls();
  const schemas = schemasOf(calls.map(({ operation }) => operation));
  const resolve = (schema: JsonSchema): JsonSchema =>
    JSON.parse(JSON.stringify(schema), (_, inner) =>
      typeof inner?.$ref === 'string' ? resolve(schemas[inner.$ref.split('/').at(-1) ?? ''] ?? {}) : inner,
    );
  return calls.map(({ operation, known }) => ({
    method: operation.method.toUpperCase(),
    path: things => publicPathOf(operation.path, things),
    queryNames: operation.parameters
      .filter(parameter => parameter.in === 'query')
      .map(({ name }) => name.replace('<path>', 'plan')),
    query: () => ({}),
    ...(known.body ? { body: known.body } : {}),
    schemas: Object.values(operation.body ?? {}).map(({ schema }) => resolve(schema as JsonSchema)),
    headers: things => known.headers?.(things) ?? {},
  }));
}

const undescribedTemplates = (): Template[] =>
  undescribedCalls.map(({ query = () => ({}), ...call }) => ({
    ...call,
    query,
    queryNames: Object.keys(query(ghosts())),
    schemas: call.body ? [z.toJSONSchema(listenResult, { io: 'input' }) as JsonSchema] : [],
  }));

/** The body with what it has to be based on, as that is at this moment; all else of it stays as it is written. */
export async function bodyOnItsBase(
  { route, path, body }: FuzzRequest,
  url: string,
  cookie: string,
): Promise<FuzzRequest['body']> {
  const basedOn = route === null ? undefined : callCases[route].basedOn;
  const text = new TextDecoder().decode(body ?? undefined);
  if (route === null || basedOn === undefined || !text.includes(UNKNOWN_BASE)) return body;
  const [[, own = ''], [method = '', other = '']] = [route.split(' '), basedOn.route.split(' ')];
  const ask = async (_: Route, part: object) => {
    const response = await fetch(url + path.replace(/\?.*/, '').replace(own, other), {
      method,
      headers: { 'Content-Type': 'application/json', 'X-Sluice-CSRF': '1', Cookie: cookie },
      body: JSON.stringify(part),
    });
    return ((await response.json()) as { data?: unknown }).data;
  };
  // What is no JSON any more, or leads nowhere, is sent as it is.
  const based = await Promise.resolve(text)
    .then(JSON.parse)
    .then(whole => basedBody(route, whole, ask))
    .catch(() => null);
  const base = (based as Readonly<Record<string, unknown>> | null)?.[basedOn.field];
  return typeof base === 'string' ? encode(text.replace(UNKNOWN_BASE, base)) : body;
}
