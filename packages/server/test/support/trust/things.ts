import { randomUUID } from 'node:crypto';
import { CALLS_AT, withOrganisation } from '@sluice/contract/organisation-address';
import type { Route } from '@sluice/contract/private-calls';
import { newId } from '../../../src/core/ids.ts';
import { newSecret } from '../../../src/core/secrets/vault.ts';
import { newListenerToken } from '../../../src/delivery/listeners/token.ts';

/** What stands before the first name in the path of a call: `/keys` of `GET /keys/:id`. */
type Collection = CollectionOf<Route>;
type CollectionOf<R extends string> = R extends `${string} ${infer Before}/:${string}` ? Before : never;

/** One thing of each kind that an organisation has, by which calls name it. */
export interface Things {
  /** What stands in a path in place of the names, as it is written there. */
  readonly paths: Readonly<Record<Collection, string>>;
  /** What stands in paths of public calls, by its name there. */
  readonly parameters: Readonly<
    Record<'kind' | 'external_id' | 'relation' | 'to_kind' | 'to_external_id' | 'token', string>
  >;
  /** Of the organisation itself: calls in it have it in their address. */
  readonly slug: string;
  /** A word that is part of everything this organisation has named. */
  readonly word: string;
  /** What opens calls that no document describes; nobody else gets to see it, and no call is asked for it. */
  readonly held: Readonly<Record<'listener' | 'connection' | 'handshake' | 'agreed', string>>;
  /** By its id, under which it stands among the members. */
  readonly invitation: string;
  readonly eventType: string;
  readonly senderId: string;
  readonly idempotencyKey: string;
}

/** Things that nobody has, of the same form: a request for somebody else's is answered as one for these. */
export function ghosts(like?: Things): Things {
  const word = newWord();
  // The id of a session is hex, and what begins with a digit is refused where what begins with a letter is not.
  const session = like?.paths['/account/sessions'] ?? 'abcdef0123456789';
  const event = newId('evt');
  return {
    paths: {
      '/account/sessions': `${session.slice(0, 8)}${session.slice(8).split('').reverse().join('')}`,
      '/invitations': newSecret('invite'),
      '/members': newId('usr'),
      '/organisations': newId('org'),
      '/whereabouts': event,
      '/keys': newId('key'),
      '/sources': newId('src'),
      '/pipelines': newId('pipe'),
      '/destinations': newId('dst'),
      '/test-events': newId('tev'),
      '/events': event,
      '/jobs': newId('job'),
      '/views': newId('view'),
      '/deliveries': newId('dlv'),
      '/entities': `person/${word}`,
      '/audit': newId('aud'),
    },
    parameters: parametersFor(word, newSecret('whk').slice(4)),
    slug: `no-${word.slice(-12)}`,
    word,
    held: {
      listener: newListenerToken({ orgId: newId('org'), id: newId('dst') }),
      connection: randomUUID(),
      handshake: newSecret('whk').slice(4),
      agreed: newSecret('agreed'),
    },
    invitation: newId('inv'),
    eventType: `${word}.happened`,
    senderId: `${word}-1`,
    idempotencyKey: `${word}-key`,
  };
}

/** No other text holds it by chance, and every search finds it. */
export const newWord = (): string => `w${newId('org').slice(4).toLowerCase()}`;

export const parametersFor = (word: string, token: string): Things['parameters'] => ({
  kind: 'person',
  external_id: word,
  relation: 'member_of',
  to_kind: 'company',
  to_external_id: `${word}-company`,
  token,
});

/** The path of a private call, about these things. */
export function pathOf(route: Route, { paths, parameters }: Things): string {
  const [, path = ''] = route.split(' ');
  const named = path.replace(/^(.*?)\/:\w+(?:\/:\w+)*/, (_, before: string) => {
    const thing: string | undefined = paths[before as Collection];
    if (thing === undefined) throw new Error(`There is no thing for ${route}: it takes a line in things.ts.`);
    return `${before}/${thing}`;
  });
  return named.replaceAll(/:(\w+)/g, (_, name: string) => parameters[name as keyof Things['parameters']]);
}

/** The address of a private call about these things: in the organisation of the session, or else in that of a slug. */
export const addressOf = (route: Route, things: Things, slug: string | null = null): string =>
  CALLS_AT + withOrganisation(slug, pathOf(route, things));

/** The path of a public call, about these things. */
export const publicPathOf = (path: string, { parameters }: Things): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const thing: string | undefined = parameters[name as keyof Things['parameters']];
    if (thing === undefined)
      throw new Error(`There is no ${name} for ${path}: it takes a line in things.ts.`);
    return thing;
  });

/** Each of them once, with where it comes from, longest first: no shorter one is part of it then. */
export const textsOf = ({ paths, parameters, held: _, ...rest }: Things): [name: string, text: string][] =>
  Object.entries({ ...paths, ...parameters, ...rest })
    .filter(([, text]) => text.length > 15)
    .sort(([, a], [, b]) => b.length - a.length);
