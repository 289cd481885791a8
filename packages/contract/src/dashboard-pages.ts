/**
 * The pages of the dashboard by the first word of their address: the server answers each of them with the same
 * document, and anything else with its 404.
 */
export const pageNames = [
  'setup',
  'welcome',
  'login',
  'invitations',
  'live',
  'events',
  'deliveries',
  'dead-letters',
  'jobs',
  'sources',
  'pipelines',
  'destinations',
  'entities',
  'settings',
] as const;
