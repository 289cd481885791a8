import {
  type MemberPage,
  memberPages,
  type PublicPage,
  publicPages,
  settingsSections,
} from '@sluice/contract/dashboard-pages';
import type { SampleCompany } from './sample-company.ts';

type PageOfSome = Extract<MemberPage, `${string}$${string}`>;

/** Every page of the dashboard that somebody sees who is logged in, by name, with one of everything that a page is of. */
export function pagesOf({ ids }: Pick<SampleCompany, 'ids'>): Readonly<Record<string, string>> {
  const ofSome: Readonly<Record<PageOfSome, Readonly<Record<string, string>>>> = {
    '/events/$id': { event: `/events/${ids.event}` },
    '/deliveries/$id': { delivery: `/deliveries/${ids.dead}` },
    '/jobs/$id': { job: `/jobs/${ids.job}` },
    '/sources/$id': { source: `/sources/${ids.source}`, 'new-source': '/sources/new' },
    '/pipelines/$id': { pipeline: `/pipelines/${ids.pipeline}`, 'new-pipeline': '/pipelines/new' },
    '/destinations/$id': {
      destination: `/destinations/${ids.destination}`,
      'new-destination': '/destinations/new?kind=webhook',
    },
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

/** The pages for everybody, with an invitation that stands. */
export function openPages(inviteCode: string): Readonly<Record<string, string>> {
  const ofSome: Readonly<Record<Extract<PublicPage, `${string}$${string}`>, string>> = {
    '/invitations/$code': `/invitations/${inviteCode}`,
  };
  return Object.fromEntries(
    publicPages.map(page => [page.split('/')[1] ?? '', page === '/invitations/$code' ? ofSome[page] : page]),
  );
}
