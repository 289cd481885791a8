import { failure } from '@sluice/contract';
import { LISTEN_PATH } from '@sluice/contract/listen';
import { CALLS_AT, splitOrganisation } from '@sluice/contract/organisation-address';
import { privateCalls, type Route } from '@sluice/contract/private-calls';
import { catalogue, type ErrorCode } from '../../../src/core/errors.ts';
import type { PublicOperation } from '../../../src/web/openapi/operation.ts';
import { misfit, type Shape } from './answer-shapes.ts';
import { routes } from './call-cases.ts';
import { publicCalls } from './public-cases.ts';
import { fileMisfit, listenMisfit, liveMisfit, tailMisfit } from './stream-check.ts';

/** What came back, as far as it was read. */
export interface CheckedAnswer {
  readonly method: string;
  /** As the service sees it, without the query. */
  readonly path: string;
  readonly status: number;
  readonly type: string;
  /** Of a stream the first message alone. */
  readonly text: string;
}

interface Known {
  readonly method: string;
  readonly pattern: RegExp;
  readonly route?: Route;
  readonly operation?: PublicOperation;
}

const strictFailure = failure.extend({ error: failure.shape.error.strict() }).strict();

/** Answers what is wrong with an answer; null where it is in the envelope, and in the schema of its call. */
export function createAnswerCheck(
  shapes: ReadonlyMap<Route, Shape>,
): (answer: CheckedAnswer) => string | null {
  const known: Known[] = [
    ...routes.map(route => ({
      method: route.split(' ')[0] ?? '',
      pattern: toPattern(`${CALLS_AT}${route.split(' ')[1]}`, /:\w+/g),
      route,
    })),
    ...publicCalls().map(({ operation }) => ({
      method: operation.method.toUpperCase(),
      pattern: toPattern(operation.path, /\{\w+\}/g),
      operation,
    })),
  ];

  /** A path without names comes first, as for the router. */
  const callAt = (method: string, path: string): Known | undefined =>
    known
      .filter(one => one.method === method && one.pattern.test(withoutOrganisation(path)))
      .sort((a, b) => a.pattern.source.split('[^').length - b.pattern.source.split('[^').length)[0];
  const followed = (path: string) => callAt('GET', CALLS_AT + path.split('?')[0]);

  function streamMisfit(route: Route, type: string, text: string): string | null {
    if (type.startsWith('application/x-ndjson')) return fileMisfit(text, route, shapes);
    if (!type.startsWith('text/event-stream')) return `a stream of ${type}`;
    // Whoever has logged out meanwhile is told nothing any more.
    if (text === '') return null;
    if (route === 'GET /live/events') return tailMisfit(text, shapes);
    return liveMisfit(text, {
      answer(path, body) {
        const call = followed(path);
        return call?.route ? privateMisfit(body, call.route, shapes) : `${path} is no call`;
      },
      refusal: (path, body, status) => refusalMisfit(body, status, followed(path)),
    });
  }

  return answer => {
    const { method, path, status, type, text } = answer;
    const call = callAt(method, path);
    if (status >= 500) return 'it failed';
    // Headers and addresses past what Bun reads never come to the service.
    if (status === 431) return null;
    if (method === 'HEAD') return null;
    if (call?.route && status < 300 && privateCalls[call.route].answer.kind === 'stream')
      return streamMisfit(call.route, type, text);
    if (path === LISTEN_PATH && status === 200)
      return type === 'text/event-stream' ? listenMisfit(text) : `it is ${type}`;
    // What a provider agreed on it is told again, as it stands.
    if (method === 'GET' && path.startsWith('/whk/') && status === 200)
      return type.startsWith('text/plain') ? null : `it is ${type}`;
    if (!type.startsWith('application/json')) {
      // Folded paths lead to pages.
      return /^\/(dashboard\/api|v1|whk|listen)(\/|$)/.test(path) ? `it is ${type}` : null;
    }
    const body = parse(text);
    if (status >= 400) return refusalMisfit(body, status, call);
    if (!call) return `${status} where no call is known`;
    return call.route ? privateMisfit(body, call.route, shapes) : publicMisfit(body, status, call.operation);
  };
}

/** The answer of a private call is the same in each organisation. */
const withoutOrganisation = (path: string): string =>
  path.startsWith(CALLS_AT) ? CALLS_AT + splitOrganisation(path.slice(CALLS_AT.length)).rest : path;

const toPattern = (path: string, name: RegExp): RegExp =>
  new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(name, '[^/]+')}$`);

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function refusalMisfit(body: unknown, status: number, call: Known | undefined): string | null {
  const refused = strictFailure.safeParse(body);
  if (!refused.success) return 'a refusal that is not in the envelope';
  const { code, message } = refused.data.error;
  if (!(code in catalogue) || catalogue[code as ErrorCode].status !== status) return `${code} with ${status}`;
  if (!/\.$/.test(message)) return `no sentence: ${message}`;
  if (call?.operation && !call.operation.errors.includes(code as ErrorCode))
    return `${code} is not described for ${call.operation.id}`;
  return null;
}

function privateMisfit(body: unknown, route: Route, shapes: ReadonlyMap<Route, Shape>): string | null {
  const shape = shapes.get(route);
  if (!shape || typeof body !== 'object' || body === null || !('data' in body)) return 'not in the envelope';
  const { data, ...rest } = body;
  const isList = privateCalls[route].answer.kind === 'list';
  const more = Object.keys(rest).filter(name => !isList || !['next_cursor', 'searched_to'].includes(name));
  if (more.length > 0) return `the envelope holds ${more.join(', ')} too`;
  if (isList && !('next_cursor' in rest)) return 'a list without next_cursor';
  return misfit(data, shape);
}

function publicMisfit(body: unknown, status: number, operation: PublicOperation | undefined): string | null {
  const described = operation?.answers[status];
  if (!operation || !described) return `${status} is not described`;
  const checked = operation.schemas[described.schema]?.safeParse(body);
  return checked?.success ? null : `not ${described.schema}: ${checked?.error.message}`;
}
