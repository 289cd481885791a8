/** The pages of the dashboard by their addresses. `$id` stands for any one word. */

/** Pages for everybody. */
export const publicPages = ['/setup', '/login', '/invitations/$code'] as const;
export type PublicPage = (typeof publicPages)[number];

/** Pages for those who are logged in. */
export const memberPages = [
  '/',
  '/welcome',
  '/live',
  '/events',
  '/events/$id',
  '/deliveries',
  '/deliveries/$id',
  '/dead-letters',
  '/jobs',
  '/jobs/$id',
  '/sources',
  '/sources/$id',
  '/pipelines',
  '/pipelines/$id',
  '/destinations',
  '/destinations/$id',
  '/entities',
  '/entities/$kind/$externalId',
  '/account',
  '/settings',
  '/settings/$section',
  '/settings/audit/$id',
] as const;
export type MemberPage = (typeof memberPages)[number];

/** What `$section` may be. */
export const settingsSections = [
  'keys',
  'members',
  'organisations',
  'retention',
  'alerts',
  'configuration',
  'audit',
  'health',
] as const;
export type SettingsSection = (typeof settingsSections)[number];

/**
 * The first words of their addresses: below each the server answers with the same document, and with its 404 for
 * anything else.
 */
export const pageNames: readonly string[] = [
  // The pages of an organisation: /o/acme/events.
  'o',
  ...new Set([...publicPages, ...memberPages].map(page => page.split('/')[1] ?? '').filter(Boolean)),
];
