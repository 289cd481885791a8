import { type MemberPage, memberPages, settingsSections } from '@sluice/contract/dashboard-pages';
import type { SampleCompany } from './sample-company.ts';

type PageOfSome = Extract<MemberPage, `${string}$${string}`>;

/** Every page of the dashboard that somebody sees who is logged in, by name, with one of everything that a page is of. */
export function pagesOf({ ids }: Pick<SampleCompany, 'ids'>): Readonly<Record<string, string>> {
  const ofSome: Readonly<Record<PageOfSome, Readonly<Record<string, string>>>> = {
    '/events/$id': { event: `/events/${ids.event}` },
    '/deliveries/$id': { delivery: `/deliveries/${ids.dead}` },
    '/jobs/$id': { job: `/jobs/${ids.job}` },
    '/sources/$id': { source: `/sources/${ids.source}` },
    '/pipelines/$id': { pipeline: `/pipelines/${ids.pipeline}` },
    '/destinations/$id': { destination: `/destinations/${ids.destination}` },
    '/entities/$kind/$externalId': { entity: '/entities/customer/c_0' },
    '/settings/$section': Object.fromEntries(settingsSections.map(name => [name, `/settings/${name}`])),
    '/settings/audit/$id': { 'audit-entry': `/settings/audit/${ids.auditEntry}` },
  };
  const isOfSome = (page: MemberPage): page is PageOfSome => page.includes('$');
  return Object.assign(
    {},
    ...memberPages.map(page =>
      isOfSome(page) ? ofSome[page] : { [page === '/' ? 'overview' : page.slice(1)]: page },
    ),
  );
}
