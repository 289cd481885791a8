import { type Answer, toAnswer } from './endpoints.ts';

/** A program that speaks to `/v1/entities` with an API key. */
export interface EntityClient {
  send(
    method: string,
    path: string,
    options?: { body?: unknown; headers?: Record<string, string> },
  ): Promise<Answer>;
  get(path: string): Promise<Answer>;
  /** The very text of an answer. */
  text(path: string): Promise<string>;
  put(path: string, traits?: unknown, headers?: Record<string, string>): Promise<Answer>;
  patch(path: string, traits: unknown, headers?: Record<string, string>): Promise<Answer>;
  post(body: unknown): Promise<Answer>;
  delete(path: string, headers?: Record<string, string>): Promise<Answer>;
  /** `data` of the whole list, page by page. */
  readAll<T>(path: string): Promise<T[]>;
}

export function entityClient(url: string, apiKey: string): EntityClient {
  const client: EntityClient = {
    async send(method, path, { body, headers = {} } = {}) {
      const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
      const all = { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json', ...headers };
      return toAnswer(await fetch(`${url}/v1/entities${path}`, { method, headers: all, body: text ?? null }));
    },
    get: path => client.send('GET', path),
    async text(path) {
      const headers = { Authorization: `Bearer ${apiKey}` };
      return (await fetch(`${url}/v1/entities${path}`, { headers })).text();
    },
    put: (path, traits, headers = {}) =>
      client.send('PUT', path, { body: traits === undefined ? undefined : { traits }, headers }),
    patch: (path, traits, headers = {}) => client.send('PATCH', path, { body: { traits }, headers }),
    post: body => client.send('POST', '', { body }),
    delete: (path, headers = {}) => client.send('DELETE', path, { headers }),
    async readAll<T>(path: string) {
      const all: T[] = [];
      let cursor = '';
      do {
        const { body } = await client.get(`${path}${path.includes('?') ? '&' : '?'}${cursor}`);
        const page = body as { data: T[]; next_cursor: string | null };
        all.push(...page.data);
        cursor = page.next_cursor === null ? '' : `cursor=${encodeURIComponent(page.next_cursor)}`;
      } while (cursor !== '');
      return all;
    },
  };
  return client;
}

/** An entity's place in a path. */
export const pathOf = (kind: string, externalId: string): string =>
  `/${kind}/${encodeURIComponent(externalId)}`;
