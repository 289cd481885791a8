import { listenEnd, listenReady } from '@sluice/contract/listen';
import type { Route } from '@sluice/contract/private-calls';
import { misfit, type Shape } from './answer-shapes.ts';

/** What is wrong with a file of lines, or with the first message of a stream; null where nothing is. */

type Shapes = ReadonlyMap<Route, Shape>;

/** What a line of a file has beside the fields of the rows of a list, and what it has not. */
interface Lines {
  readonly rows: Route;
  readonly more: readonly string[];
  readonly less: readonly string[];
}

const filesOf: Readonly<Partial<Record<Route, Lines>>> = {
  'GET /events/export': { rows: 'GET /events', more: ['payload'], less: [] },
  'GET /jobs/:id/file': { rows: 'GET /events', more: ['payload'], less: [] },
  'GET /dead-letters/export': { rows: 'GET /dead-letters', more: ['payload'], less: [] },
  'GET /audit/export': { rows: 'GET /audit', more: [], less: ['target_page'] },
};

export function fileMisfit(text: string, route: Route, shapes: Shapes): string | null {
  const file = filesOf[route];
  const row = file && rowOf(file.rows, shapes);
  if (!file || !row) return `nobody knows the lines of ${route}`;
  const line = lineShape(row, file);
  const lines = text.split('\n');
  if (lines.pop() !== '') return 'the last line does not end';
  for (const [n, written] of lines.entries()) {
    const found = misfit(parse(written), line, `line ${n + 1}`);
    if (found !== null) return found;
  }
  return null;
}

function lineShape(row: Shape, file: Lines): Shape {
  if (row.kind === 'union') return { kind: 'union', of: row.of.map(one => lineShape(one, file)) };
  if (row.kind !== 'object') return row;
  const fields = new Map(row.fields);
  for (const name of file.less) fields.delete(name);
  for (const name of file.more) fields.set(name, { isOptional: false, shape: { kind: 'anything' } });
  return { ...row, fields };
}

/** The calls that a stream follows are judged as if they were asked. */
interface Judge {
  answer(call: string, body: unknown): string | null;
  refusal(call: string, body: unknown, status: number): string | null;
}

export function liveMisfit(text: string, judge: Judge): string | null {
  const { event, data } = readMessage(text);
  if (typeof data !== 'object' || data === null) return 'its data is no object';
  const { call, status, answer, ...more } = data as Record<string, unknown>;
  if (typeof call !== 'string' || Object.keys(more).length > 0) return 'its data is of no call';
  if (event === 'answer' && status === undefined) return judge.answer(call, answer);
  return event === 'refused' && typeof status === 'number'
    ? judge.refusal(call, answer, status)
    : `a message ${event}`;
}

export function tailMisfit(text: string, shapes: Shapes): string | null {
  const row = rowOf('GET /events', shapes);
  const { event, data } = readMessage(text);
  if (event !== 'events' || row === undefined) return `a message ${event}`;
  const rows: Shape = { kind: 'list', of: row };
  const number: Shape = { kind: 'primitive', type: 'number' };
  const fields = Object.entries({ rows, changed: rows, skipped: number }).map(
    ([name, shape]) => [name, { isOptional: false, shape }] as const,
  );
  return misfit(data, { kind: 'object', fields: new Map(fields), others: null });
}

export function listenMisfit(text: string): string | null {
  const { event, data } = readMessage(text);
  const schema = { ready: listenReady, end: listenEnd }[event];
  if (schema === undefined) return `a message ${event}`;
  const checked = schema.safeParse(data);
  return checked.success ? null : checked.error.message;
}

function rowOf(route: Route, shapes: Shapes): Shape | undefined {
  const shape = shapes.get(route);
  return shape?.kind === 'list' ? shape.of : undefined;
}

function readMessage(text: string): { readonly event: string; readonly data: unknown } {
  const of = (name: string) =>
    text
      .split('\n')
      .filter(line => line.startsWith(`${name}: `))
      .map(line => line.slice(name.length + 2))
      .join('\n');
  return { event: of('event'), data: parse(of('data')) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The first message of a stream, without what only keeps it open; nothing where it ends before. */
export async function firstMessage({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true });
    const message = text
      .split('\n\n')
      .slice(0, -1)
      .find(part => /^event: /m.test(part));
    if (message !== undefined) return message;
  }
  return '';
}
