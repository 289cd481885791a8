import type { MemberPage, PublicPage } from '@sluice/contract/dashboard-pages';
import {
  IconActivity,
  IconBroadcast,
  IconInbox,
  IconMailOff,
  IconPlugConnected,
  IconRoute,
  IconSend,
  IconSettings,
  IconSubtask,
  IconTopologyStar3,
  IconTruckDelivery,
} from '@tabler/icons-react';
import type { ComponentType } from 'react';

/**
 * Every page of the contract, which the server answers: one that is missing here or there does not compile. A page is
 * loaded when somebody first goes there.
 */
type LoadPage = () => Promise<{ default: ComponentType }>;

interface InsidePage {
  readonly load: LoadPage;
  /** How it stands in the side bar, in the order of this list; left out where other pages lead to it. */
  readonly sideBar?: {
    readonly group: 'Monitor' | 'Build' | 'Data' | 'Settings';
    readonly label: string;
    readonly icon: typeof IconSend;
    /** It follows a `g`, as in `g e` for events. */
    readonly key: string;
  };
}

export const publicLoaders: Readonly<Record<PublicPage, LoadPage>> = {
  '/setup': () => import('../pages/setup/setup-page.tsx'),
  '/login': () => import('../pages/login/login-page.tsx'),
  '/invitations/$code': () => import('../pages/login/invitation-page.tsx'),
};

export const insidePages: Readonly<Record<MemberPage, InsidePage>> = {
  '/': {
    load: () => import('../pages/overview/overview-page.tsx'),
    sideBar: { group: 'Monitor', label: 'Overview', icon: IconActivity, key: 'o' },
  },
  '/welcome': { load: () => import('../pages/setup/welcome-page.tsx') },
  '/live': {
    load: () => import('../pages/live/live-page.tsx'),
    sideBar: { group: 'Monitor', label: 'Live', icon: IconBroadcast, key: 'l' },
  },
  '/events': {
    load: () => import('../pages/events/list/events-page.tsx'),
    sideBar: { group: 'Monitor', label: 'Events', icon: IconInbox, key: 'e' },
  },
  '/events/$id': { load: () => import('../pages/events/detail/event-page.tsx') },
  '/deliveries': {
    load: () => import('../pages/deliveries/deliveries-page.tsx'),
    sideBar: { group: 'Monitor', label: 'Deliveries', icon: IconTruckDelivery, key: 'd' },
  },
  '/deliveries/$id': { load: () => import('../pages/deliveries/delivery-page.tsx') },
  '/dead-letters': {
    load: () => import('../pages/dead-letters/dead-letters-page.tsx'),
    sideBar: { group: 'Monitor', label: 'Dead letters', icon: IconMailOff, key: 'x' },
  },
  '/jobs': {
    load: () => import('../pages/jobs/jobs-page.tsx'),
    sideBar: { group: 'Monitor', label: 'Jobs', icon: IconSubtask, key: 'j' },
  },
  '/jobs/$id': { load: () => import('../pages/jobs/job-page.tsx') },
  '/sources': {
    load: () => import('../pages/sources/sources-page.tsx'),
    sideBar: { group: 'Build', label: 'Sources', icon: IconPlugConnected, key: 's' },
  },
  '/sources/$id': { load: () => import('../pages/sources/source-page.tsx') },
  '/pipelines': {
    load: () => import('../pages/pipelines/pipelines-page.tsx'),
    sideBar: { group: 'Build', label: 'Pipelines', icon: IconRoute, key: 'p' },
  },
  '/pipelines/$id': { load: () => import('../pages/pipelines/pipeline-page.tsx') },
  '/destinations': {
    load: () => import('../pages/destinations/destinations-page.tsx'),
    sideBar: { group: 'Build', label: 'Destinations', icon: IconSend, key: 't' },
  },
  '/destinations/$id': { load: () => import('../pages/destinations/destination-page.tsx') },
  '/entities': {
    load: () => import('../pages/entities/entities-page.tsx'),
    sideBar: { group: 'Data', label: 'Entities', icon: IconTopologyStar3, key: 'n' },
  },
  '/entities/$kind/$externalId': { load: () => import('../pages/entities/entity-page.tsx') },
  '/account': { load: () => import('../pages/account/account-page.tsx') },
  '/settings': {
    load: () => import('../pages/settings/settings-page.tsx'),
    sideBar: { group: 'Settings', label: 'Settings', icon: IconSettings, key: ',' },
  },
  '/settings/$section': { load: () => import('../pages/settings/settings-page.tsx') },
  '/settings/audit/$id': { load: () => import('../pages/settings/audit-entry-page.tsx') },
};

/** The pages of the side bar, of the palette and of the keys. */
export const navigation = Object.entries(insidePages).flatMap(([to, { sideBar }]) =>
  sideBar ? [{ to, ...sideBar }] : [],
);
