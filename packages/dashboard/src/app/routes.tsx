import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
} from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { Loading, NotFound, PageFailed } from '../components/page-states.tsx';
import { loadPatiently } from '../lib/api/connection.ts';
import { organisationRewrite } from '../lib/organisation.ts';
import { loadMissingStyleSheets } from '../lib/style-sheets.ts';
import { insidePages, publicLoaders } from './pages.ts';

/** The router: the pages of `pages.ts` under their addresses. */
const root = createRootRoute({ component: Outlet, notFoundComponent: NotFound });

/** A server that is away when a page is opened first is asked until it is back. */
const loaded = (load: () => Promise<{ default: ComponentType }>) =>
  lazyRouteComponent(() =>
    loadPatiently(async () => {
      // A script that is gone is told of first: the router then loads the document of the new version.
      const page = await load();
      await loadMissingStyleSheets(document);
      return page;
    }),
  );

/** Pages for those who are logged in, inside the side bar. Filters are any texts in the query. */
const inside = createRoute({
  getParentRoute: () => root,
  id: 'inside',
  component: loaded(() => import('./shell.tsx')),
  validateSearch: (search: Record<string, unknown>): Record<string, string> =>
    Object.fromEntries(Object.entries(search).map(([name, value]) => [name, String(value)])),
});

const forAnybody = Object.entries(publicLoaders).map(([path, load]) =>
  createRoute({ getParentRoute: () => root, path, component: loaded(load) }),
);
const forMembers = Object.entries(insidePages).map(([path, { load }]) =>
  createRoute({ getParentRoute: () => inside, path, component: loaded(load) }),
);

/** Whoever is lost keeps the side bar. */
const elsewhere = createRoute({ getParentRoute: () => inside, path: '$', component: NotFound });

export const router = createRouter({
  routeTree: root.addChildren([...forAnybody, inside.addChildren([...forMembers, elsewhere])]),
  defaultNotFoundComponent: NotFound,
  defaultErrorComponent: PageFailed,
  // Of a page that takes long to come, or cannot come while the server is away.
  defaultPendingComponent: Loading,
  // A filter is the text that was typed: `?type=42` must not come back as a number.
  parseSearch: text => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: search => {
    const given = Object.entries(search).filter(([, value]) => value !== undefined && value !== '');
    return given.length === 0
      ? ''
      : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
  },
  rewrite: organisationRewrite,
  scrollRestoration: true,
});
