import { useMantineColorScheme } from '@mantine/core';
import { settingsSections } from '@sluice/contract/dashboard-pages';
import { useNavigate } from '@tanstack/react-router';
import { call } from '../lib/api/call.ts';
import { useAll, useCall, useChanges } from '../lib/api/use-call.ts';
import { capitalised } from '../lib/format.ts';
import { useMay, useSession } from '../lib/session.tsx';
import { useSwitchOrganisation } from '../lib/use-switch-organisation.ts';
import { jobTitle } from '../pages/jobs/job-labels.ts';
import { sectionLabels } from '../pages/settings/section-labels.ts';
import { navigation } from './pages.ts';
import { type PaletteItem, rankItems } from './palette-items.ts';
import { useLogOut } from './use-log-out.ts';

export interface RunnableItem extends PaletteItem {
  run(): unknown;
}

const configured: ReadonlySet<string> = new Set(['source', 'pipeline', 'destination']);

/** So many types are offered: there may be hundreds, and pages and actions stand behind things. */
const MOST_TYPES = 8;

/** To a page, with the filters that its address names. */
export function useGoTo(): (address: string) => unknown {
  const navigate = useNavigate();
  return address => {
    const [to, query = ''] = address.split('?');
    return navigate({ to: to ?? '/', search: Object.fromEntries(new URLSearchParams(query)) });
  };
}

/** Pages, settings, things and actions, for whoever is logged in; `isAsking` while the server still looks. */
export function usePaletteItems(typed: string): {
  items: RunnableItem[];
  /** What can be done; among the items once something is typed. */
  actions: RunnableItem[];
  isAsking: boolean;
} {
  const asked = typed.trim();
  const goTo = useGoTo();
  const found = useCall('GET /search', asked === '' ? null : { text: asked }, { keep: true });
  const types = useCall('GET /events/types', asked === '' ? null : {});
  const actions = useActions();
  const goingTo = (item: PaletteItem & { to: string }): RunnableItem => ({
    ...item,
    run: () => goTo(item.to),
  });
  const pages = [
    ...navigation.map(({ to, label }) => ({ key: `page ${to}`, label, description: 'Page', to })),
    { key: 'page /account', label: 'Account', description: 'Page', to: '/account' },
    { key: 'account appearance', label: 'Appearance and time zone', description: 'Account', to: '/account' },
    ...settingsSections.map(name => ({
      key: `settings ${name}`,
      label: sectionLabels[name],
      description: 'Settings',
      to: `/settings/${name}`,
    })),
  ].map(goingTo);
  const things = (asked === '' ? [] : (found.data ?? [])).map(({ kind, id, label, to }) =>
    goingTo({
      key: `thing ${id}`,
      label: kind === 'job' ? jobTitle({ kind: label }) : label,
      // What has a name of its own is known by that.
      description: configured.has(kind) ? capitalised(kind) : `${capitalised(kind)} ${id}`,
      isThing: true,
      to,
    }),
  );
  const ofTypes = (asked === '' ? [] : (types.data ?? [])).map(({ type }) => ({
    key: `type ${type}`,
    label: type,
    description: 'Event type',
    to: `/events?type=${encodeURIComponent(type)}`,
  }));
  const typesFound = rankItems(ofTypes, asked)
    .slice(0, MOST_TYPES)
    .map(item => goingTo({ ...item, isThing: true }));
  return {
    items: [...things, ...typesFound, ...pages, ...(asked === '' ? [] : actions)],
    actions,
    isAsking: found.isFetching || types.isLoading,
  };
}

const ACTION = 'action ';

export const isAction = ({ key }: Pick<PaletteItem, 'key'>): boolean => key.startsWith(ACTION);

/** What can be made, and where. */
const creations = [
  { label: 'New source', permission: 'sources.change', to: '/sources/new' },
  { label: 'New pipeline', permission: 'pipelines.change', to: '/pipelines/new' },
  { label: 'New destination', permission: 'destinations.change', to: '/destinations/new' },
  { label: 'New entity', permission: 'entities.change', to: '/entities?new=entity' },
  { label: 'New key', permission: 'keys.change', to: '/settings/keys' },
  { label: 'Invite member', permission: 'members.change', to: '/settings/members' },
] as const;

function useActions(): RunnableItem[] {
  const may = useMay();
  const goTo = useGoTo();
  const { organisation, organisations } = useSession();
  const { setColorScheme } = useMantineColorScheme();
  const logOut = useLogOut();
  const moveTo = useSwitchOrganisation();
  const { data: destinations = [] } = useAll('GET /destinations');
  const { data: pipelines = [] } = useAll('GET /pipelines');
  const { data: sources = [] } = useAll('GET /sources');
  const pause = useChanges((given: { id: string; paused: boolean }) =>
    call(given.paused ? 'POST /destinations/:id/resume' : 'POST /destinations/:id/pause', { id: given.id }),
  );
  const turn = useChanges((given: { what: 'pipeline' | 'source'; id: string; enabled: boolean }) =>
    call(`PATCH /${given.what}s/:id`, { id: given.id, body: { enabled: given.enabled } }),
  );
  const action = (label: string, run: () => unknown): RunnableItem => ({
    key: `${ACTION}${label}`,
    label,
    description: 'Action',
    run,
  });
  // By id, and with what it is: a source and a pipeline may have one name.
  const turning = (
    what: 'pipeline' | 'source',
    { id, name, enabled }: { id: string; name: string; enabled: boolean },
  ) => ({
    ...action(`${enabled ? 'Disable' : 'Enable'} ${name}`, () =>
      turn.mutateAsync({ what, id, enabled: !enabled }),
    ),
    key: `${ACTION}${id}`,
    description: `Action on a ${what}`,
  });
  const repeatable = (label: string, run: () => unknown) => ({ ...action(label, run), isRepeatable: true });
  const goingTo = (label: string, to: string) => ({ ...action(label, () => goTo(to)), to });
  return [
    ...creations.filter(({ permission }) => may(permission)).map(({ label, to }) => goingTo(label, to)),
    ...pipelines.filter(() => may('pipelines.change')).map(one => turning('pipeline', one)),
    // The system source is there as long as the organisation is.
    ...sources
      .filter(({ kind }) => kind !== 'system' && may('sources.change'))
      .map(one => turning('source', one)),
    ...destinations.flatMap(({ id, name, paused }) => [
      ...(may('destinations.change')
        ? [action(`${paused ? 'Resume' : 'Pause'} ${name}`, () => pause.mutateAsync({ id, paused }))]
        : []),
      ...(may('deliveries.change')
        ? [goingTo(`Retry dead letters of ${name}`, `/dead-letters?destination=${id}&ask=retry`)]
        : []),
    ]),
    ...organisations
      .filter(({ id }) => id !== organisation.id)
      .map(there => repeatable(`Switch to ${there.name}`, () => moveTo(there))),
    repeatable('Theme: light', () => setColorScheme('light')),
    repeatable('Theme: dark', () => setColorScheme('dark')),
    repeatable('Theme: system', () => setColorScheme('auto')),
    action('Log out', logOut),
  ];
}
