import type { SampleCompany } from './sample-company.ts';

/** Every page of the dashboard that somebody sees who is logged in, by name. */
export const pagesOf = ({ ids }: SampleCompany): Readonly<Record<string, string>> => ({
  overview: '/',
  live: '/live',
  events: '/events',
  event: `/events/${ids.event}`,
  deliveries: '/deliveries',
  delivery: `/deliveries/${ids.dead}`,
  'dead-letters': '/dead-letters',
  job: `/jobs/${ids.job}`,
  sources: '/sources',
  source: `/sources/${ids.source}`,
  pipelines: '/pipelines',
  pipeline: `/pipelines/${ids.pipeline}`,
  destinations: '/destinations',
  destination: `/destinations/${ids.destination}`,
  entities: '/entities',
  entity: '/entities/customer/c_0',
  settings: '/settings',
  members: '/settings/members',
  welcome: '/welcome',
});
