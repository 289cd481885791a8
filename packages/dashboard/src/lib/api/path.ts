import { CALLS_AT, withOrganisation } from '@sluice/contract/organisation-address';
import type { DeepReadonly, PathParameter } from '@sluice/contract/private-call';
import type { BodySchema, QuerySchema, Route } from '@sluice/contract/private-calls';
import type { z } from 'zod';
import { slugOfTab } from '../organisation.ts';

/** The addresses of private calls: where what is given goes into the path, and into the query. */

/** All that is sent with a call: the names in its path, those of its query, and its `body`. */
export type GivenTo<R extends Route> = R extends Route ? InPath<R> & InQuery<R> & WithBody<R> : never;

type InPath<R extends Route> = { readonly [Name in PathParameter<R>]: string };

/** In an address everything is text; what it means, the server finds out. Empty ones are left out. */
type InQuery<R extends Route> = [QuerySchema<R>] extends [never]
  ? unknown
  : { readonly [Name in keyof z.input<QuerySchema<R>>]: string | number };

type WithBody<R extends Route> = [BodySchema<R>] extends [never]
  ? unknown
  : { readonly body: DeepReadonly<z.input<BodySchema<R>>> };

/** `GET /events/:id` and `{id: 'a/b'}` make `/events/a%2Fb`: whatever an id holds, it leads to no other call. */
export function pathOf(route: Route, given: object): string {
  const left = new Map<string, unknown>(Object.entries(given).filter(([name]) => name !== 'body'));
  const path = route.slice(route.indexOf(' ') + 1).replace(/:(\w+)/g, (_, name: string) => {
    const value = String(left.get(name));
    left.delete(name);
    return encodeURIComponent(value);
  });
  const query = [...left].filter(([, value]) => value !== undefined && value !== '');
  if (query.length === 0) return path;
  return `${path}?${new URLSearchParams(query.map(([name, value]) => [name, String(value)]))}`;
}

/** The whole address: what `call` asks, and what links and streams name. */
export const addressOf = <R extends Route>(route: R, given: GivenTo<R>): string =>
  `${CALLS_AT}${withOrganisation(slugOfTab(), pathOf(route, given))}`;
