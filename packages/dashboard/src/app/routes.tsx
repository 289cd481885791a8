import type { MemberPage } from '@sluice/contract/dashboard-pages';
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
} from '@tanstack/react-router';
import { NotFound, PageFailed } from '../components/page-states.tsx';

/** Every page and its address. A page is loaded when somebody first goes there. */
const root = createRootRoute({ component: Outlet, notFoundComponent: NotFound });

/** Pages for everybody. */
const setup = createRoute({
  getParentRoute: () => root,
  path: '/setup',
  component: lazyRouteComponent(() => import('../pages/setup/setup-page.tsx')),
});
const login = createRoute({
  getParentRoute: () => root,
  path: '/login',
  component: lazyRouteComponent(() => import('../pages/login/login-page.tsx')),
});
const invitation = createRoute({
  getParentRoute: () => root,
  path: '/invitations/$code',
  component: lazyRouteComponent(() => import('../pages/login/invitation-page.tsx')),
});

/** Pages for those who are logged in, inside the side bar. Filters are any texts in the query. */
const inside = createRoute({
  getParentRoute: () => root,
  id: 'inside',
  component: lazyRouteComponent(() => import('./shell.tsx'), 'Shell'),
  validateSearch: (search: Record<string, unknown>): Record<string, string> =>
    Object.fromEntries(Object.entries(search).map(([name, value]) => [name, String(value)])),
});

type LoadPage = () => Promise<{ default: React.ComponentType }>;

/** Those of the contract, which the server answers: one that is missing here or there does not compile. */
const pageLoaders: Readonly<Record<MemberPage, LoadPage>> = {
  '/': () => import('../pages/overview/overview-page.tsx'),
  '/welcome': () => import('../pages/setup/welcome-page.tsx'),
  '/live': () => import('../pages/live/live-page.tsx'),
  '/events': () => import('../pages/events/list/events-page.tsx'),
  '/events/$id': () => import('../pages/events/detail/event-page.tsx'),
  '/deliveries': () => import('../pages/deliveries/deliveries-page.tsx'),
  '/deliveries/$id': () => import('../pages/deliveries/delivery-page.tsx'),
  '/dead-letters': () => import('../pages/dead-letters/dead-letters-page.tsx'),
  '/jobs': () => import('../pages/jobs/jobs-page.tsx'),
  '/jobs/$id': () => import('../pages/jobs/job-page.tsx'),
  '/sources': () => import('../pages/sources/sources-page.tsx'),
  '/sources/$id': () => import('../pages/sources/source-page.tsx'),
  '/pipelines': () => import('../pages/pipelines/pipelines-page.tsx'),
  '/pipelines/$id': () => import('../pages/pipelines/pipeline-page.tsx'),
  '/destinations': () => import('../pages/destinations/destinations-page.tsx'),
  '/destinations/$id': () => import('../pages/destinations/destination-page.tsx'),
  '/entities': () => import('../pages/entities/entities-page.tsx'),
  '/entities/$kind/$externalId': () => import('../pages/entities/entity-page.tsx'),
  '/settings': () => import('../pages/settings/settings-page.tsx'),
  '/settings/$section': () => import('../pages/settings/settings-page.tsx'),
  '/settings/audit/$id': () => import('../pages/settings/audit-entry-page.tsx'),
};

const pages = Object.entries(pageLoaders).map(([path, load]) =>
  createRoute({ getParentRoute: () => inside, path, component: lazyRouteComponent(load) }),
);

export const router = createRouter({
  routeTree: root.addChildren([setup, login, invitation, inside.addChildren(pages)]),
  defaultNotFoundComponent: NotFound,
  defaultErrorComponent: PageFailed,
  // A filter is the text that was typed: `?type=42` must not come back as a number.
  parseSearch: text => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: search => {
    const given = Object.entries(search).filter(([, value]) => value !== undefined && value !== '');
    return given.length === 0
      ? ''
      : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
  },
  scrollRestoration: true,
});
