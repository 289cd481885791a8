import type { MemberPage, PublicPage, SettingsSection } from '@sluice/contract/dashboard-pages';

/** Which page of the guide fits which page of the dashboard: the names of the files in `docs/`. */
export const guides: Readonly<Record<MemberPage | PublicPage, string>> = {
  '/setup': 'getting-started',
  '/login': 'accounts',
  '/invitations/$code': 'accounts',
  '/': 'concepts',
  '/welcome': 'getting-started',
  '/live': 'dashboard',
  '/events': 'sending-events',
  '/events/$id': 'pipelines',
  '/deliveries': 'destinations',
  '/deliveries/$id': 'troubleshooting',
  '/dead-letters': 'troubleshooting',
  '/jobs': 'dashboard',
  '/jobs/$id': 'dashboard',
  '/sources': 'webhooks-in',
  '/sources/$id': 'webhooks-in',
  '/pipelines': 'pipelines',
  '/pipelines/$id': 'pipelines',
  '/destinations': 'destinations',
  '/destinations/$id': 'destinations',
  '/entities': 'entities',
  '/entities/$kind/$externalId': 'entities',
  '/account': 'accounts',
  '/settings': 'operating',
  '/settings/$section': 'operating',
  '/settings/audit/$id': 'security',
};

/** Where a section of the settings has a page that fits better. */
export const guidesOfSettings: Readonly<Partial<Record<SettingsSection, string>>> = {
  keys: 'sending-events',
  members: 'accounts',
  organisations: 'accounts',
  alerts: 'alerts',
  configuration: 'configuration-file',
  audit: 'security',
};

const isPage = (route: string): route is keyof typeof guides => Object.hasOwn(guides, route);
const isSection = (name: string): name is keyof typeof guidesOfSettings =>
  Object.hasOwn(guidesOfSettings, name);

/** The address of the guide for a route, and of its beginning where there is none. */
export function guideOf(route: string, section = ''): string {
  const page = isSection(section) ? guidesOfSettings[section] : isPage(route) ? guides[route] : '';
  return `/docs/guide/${page}`;
}
