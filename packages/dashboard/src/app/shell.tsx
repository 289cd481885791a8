import {
  AppShell,
  Burger,
  Button,
  Center,
  Group,
  Kbd,
  Loader,
  NavLink,
  Text,
  UnstyledButton,
  VisuallyHidden,
} from '@mantine/core';
import { useDisclosure, useHotkeys, useWindowEvent } from '@mantine/hooks';
import { withOrganisation } from '@sluice/contract/organisation-address';
import { IconSearch } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { Link, Navigate, Outlet, useRouter, useRouterState } from '@tanstack/react-router';
import { Suspense, useEffect, useReducer } from 'react';
import { Brand } from '../components/brand.tsx';
import { Empty } from '../components/empty.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { Page } from '../components/page.tsx';
import { useCall } from '../lib/api/use-call.ts';
import { keepDraftsOf } from '../lib/kept-draft.ts';
import { lazily } from '../lib/lazily.ts';
import { isOutside, slugOfTab, stayIn, stayNowhere } from '../lib/organisation.ts';
import { isPageShortcut } from '../lib/page-shortcuts.ts';
import { SessionProvider } from '../lib/session.tsx';
import { showTimesAs } from '../lib/time-display.ts';
import { AccountMenu } from './account-menu.tsx';
import { badgesOf } from './badges.ts';
import { ConnectionBanner } from './connection-banner.tsx';
import { DocsLink } from './docs-link.tsx';
import { modifierKey } from './modifier-key.ts';
import { navigation } from './pages.ts';
import classes from './shell.module.css';
import { useNavigationShortcuts } from './use-navigation-shortcuts.ts';

/** Both come when they are first asked for. */
const Palette = lazily(() => import('./palette.tsx'));
const ShortcutHelp = lazily(() => import('./shortcut-help.tsx'));
/** Nobody gives a notice in the first second: until then the page itself goes first. */
const Notices = lazily(async () => {
  await new Promise(resolve => setTimeout(resolve, 1_000));
  return import('./notices.tsx');
});

const groups = [...new Set(navigation.map(({ group }) => group))];

/** What stands around every page: the side bar, the palette, the keys. Who is not logged in is sent to do so. */
export default function Shell() {
  const session = useCall('GET /session');
  const setup = useCall('GET /setup', session.error?.status === 401 ? {} : null);
  const router = useRouter();
  // While the page of the login is being loaded this one still stands, and must not send there once more.
  const here = useRouterState({
    select: ({ location }) => (location.pathname === '/login' ? null : location.publicHref),
  });
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const [, arrive] = useReducer((times: number) => times + 1, 0);
  const slug = session.data?.organisation.slug;
  // An address of before, or one that somebody typed: it leads to the same page of the organisation last used.
  const isNowhere = slug !== undefined && slugOfTab() === null && !isOutside(path);
  useEffect(() => {
    if (!isNowhere || slug === undefined || slugOfTab() !== null) return;
    const { pathname, search, hash } = window.location;
    router.history.replace(`${withOrganisation(slug, pathname)}${search}${hash}`);
    router.history.flush();
    // To the router it is the same page as before, so that nothing is drawn again by itself.
    arrive();
  }, [isNowhere, slug, router]);

  useEffect(() => {
    if (slug !== undefined) stayIn(slug);
  }, [slug]);
  const queries = useQueryClient();
  const isGone = session.error?.status === 404 && isOutside(path) && slugOfTab() !== null;
  // It was deleted, or they belong to it no more: what is theirs alone is shown from within another one.
  useEffect(() => {
    if (!isGone) return;
    stayNowhere();
    // Nothing that was read in it is shown in the other.
    void queries.resetQueries();
  }, [isGone, queries]);

  if (session.error?.status === 401) {
    if (setup.data?.open) return <Navigate to="/setup" />;
    if (here !== null && (setup.data || setup.error)) return <Navigate to="/login" search={{ to: here }} />;
  } else if (session.error?.status === 404 && !session.data && !isOutside(path)) {
    return (
      <main>
        <Page title="Not found">
          <Empty
            sentence={session.error.message}
            action={
              <Button component="a" href="/">
                Open your organisation
              </Button>
            }
          />
        </Page>
      </main>
    );
  } else if (session.error && !session.data && !isGone) {
    return (
      <Center p="xl">
        <ErrorNotice error={session.error} onRetry={() => void session.refetch()} />
      </Center>
    );
  }
  // A server that is away for a moment takes nobody's page away, and no draft that is on it.
  if (!session.data || session.error?.status === 401 || isNowhere) {
    return (
      <Center h="100dvh">
        <Loader role="status" aria-label="Loading" />
      </Center>
    );
  }
  showTimesAs(session.data.user);
  keepDraftsOf(session.data.user.id);
  return (
    <SessionProvider value={session.data}>
      <Frame />
    </SessionProvider>
  );
}

function Frame() {
  const [isOpen, { toggle, close }] = useDisclosure();
  const path = useRouterState({ select: state => state.location.pathname });
  // On a phone the side bar lies over the page: it goes when somewhere was gone to.
  useEffect(() => {
    if (path) close();
  }, [path, close]);
  useNavigationShortcuts();
  const badges = useBadges(path);
  const [paletteAsked, askForPalette] = useReducer((times: number) => times + 1, 0);
  const [keysAsked, askForKeys] = useReducer((times: number) => times + 1, 0);
  useHotkeys([['mod+K', askForPalette]], []);
  // By what it writes: where the question mark lies differs from keyboard to keyboard.
  useWindowEvent('keydown', event => {
    if (event.key === '?' && isPageShortcut(event)) askForKeys();
  });

  return (
    <AppShell
      layout="alt"
      header={{ height: 56, offset: false, collapsed: false }}
      navbar={{ width: 232, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding={0}
    >
      <a href="#page" className={classes.skip}>
        Skip to content
      </a>
      <AppShell.Header hiddenFrom="sm" className={classes.header}>
        <Burger opened={isOpen} onClick={toggle} size="sm" aria-label="Menu" />
        <Brand />
      </AppShell.Header>
      <AppShell.Navbar className={classes.navbar} aria-label="Pages">
        <Group className={classes.top} justify="space-between" wrap="nowrap">
          <Link to="/" className={classes.brand} aria-label="Sluice: overview">
            <Brand />
          </Link>
          <Burger opened={isOpen} onClick={toggle} size="sm" hiddenFrom="sm" aria-label="Close menu" />
        </Group>
        <UnstyledButton className={classes.search} onClick={askForPalette}>
          <IconSearch size={15} aria-hidden />
          <Text size="sm" c="dimmed" flex={1}>
            Find anything
          </Text>
          <Kbd size="xs">{modifierKey} K</Kbd>
        </UnstyledButton>
        <div className={classes.pages}>
          {groups.map(group => (
            <div key={group} className={classes.group} data-last={group === 'Settings' || undefined}>
              {group !== 'Settings' && <Text className={classes.groupName}>{group}</Text>}
              {navigation
                .filter(item => item.group === group)
                .map(({ to, label, icon: Icon }) => (
                  <NavLink
                    key={to}
                    component={Link}
                    to={to}
                    label={label}
                    leftSection={<Icon size={17} stroke={1.7} aria-hidden />}
                    rightSection={badges[to] && <PageBadge {...badges[to]} />}
                    active={to === '/' ? path === '/' : path === to || path.startsWith(`${to}/`)}
                    className={classes.link ?? ''}
                  />
                ))}
            </div>
          ))}
        </div>
        <DocsLink />
        <AccountMenu />
      </AppShell.Navbar>
      <AppShell.Main className={classes.main} id="page" tabIndex={-1}>
        <ConnectionBanner />
        <Outlet />
      </AppShell.Main>
      <Suspense>
        <Notices />
      </Suspense>
      <Suspense>
        {paletteAsked > 0 && <Palette asked={paletteAsked} />}
        {keysAsked > 0 && <ShortcutHelp asked={keysAsked} />}
      </Suspense>
    </AppShell>
  );
}

/** What was read so lately is not read again when another page is opened. */
const FRESH_MS = 5_000;

/** They follow along where the page follows something, and are read again where another page is opened. */
function useBadges(path: string): ReturnType<typeof badgesOf> {
  const { data, dataUpdatedAt, refetch } = useCall('GET /badges', {}, { live: 'along' });
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another page is a reason to look
  useEffect(() => {
    if (Date.now() - dataUpdatedAt > FRESH_MS) void refetch();
  }, [path]);
  return badgesOf(data);
}

const PageBadge = ({ text, name, isBad }: ReturnType<typeof badgesOf>[string]) => (
  <>
    <span className={classes.badge} data-bad={isBad || undefined} aria-hidden>
      {text}
    </span>
    <VisuallyHidden>{name}</VisuallyHidden>
  </>
);
