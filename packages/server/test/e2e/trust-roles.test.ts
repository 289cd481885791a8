import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { WhoAmI } from '@sluice/contract/dashboard-accounts';
import type { JobRecord } from '@sluice/contract/dashboard-pipelines';
import { privateCalls, type Route } from '@sluice/contract/private-calls';
import { newJob } from '../../src/core/jobs/new-job.ts';
import { type Role, roles } from '../../src/core/stores/accounts.ts';
import {
  type Browser,
  cookieOf,
  dataOf,
  join,
  logIn,
  openBrowser,
  PASSWORD,
  setUp,
} from '../support/dashboard.ts';
import { expectRefused } from '../support/endpoints.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { basedBody, callCases, routes } from '../support/trust/call-cases.ts';
import { addressOf, ghosts, pathOf, type Things } from '../support/trust/things.ts';

/** Every private call, asked by every role and by those who have none, about things that nobody has. */
let service: TestService;
let browsers: Record<Role, Browser>;
let things: Things;
let ownerId: string;
let address = 0;
beforeAll(async () => {
  // Each request comes from an address of its own, so that wrong passwords lock nobody out.
  service = await startTestService({ settings: { SLUICE_TRUST_PROXY: 'true' } });
  const owner = await setUp(service);
  const joined = (role: Role) => join(service.url, owner, `${role}@example.com`, role);
  browsers = {
    owner,
    viewer: await joined('viewer'),
    member: await joined('member'),
    admin: await joined('admin'),
  };
  const { user, organisation } = dataOf<WhoAmI>(await owner.get('/session'));
  ownerId = user.id;
  // Of an organisation it is asked which role one has there, so it is the one that all are in.
  const absent = ghosts();
  things = { ...absent, paths: { ...absent.paths, '/organisations': organisation.id } };
});
afterAll(() => service.stop());

/** Deleting the organisation that all are in has a test of its own. */
const isAsked = (route: Route) => route !== 'DELETE /organisations/:id';

interface Outcome {
  readonly status: number;
  readonly code: string | null;
}

async function ask(
  route: Route,
  browser: Pick<Browser, 'setCookie'>,
  {
    headers = {},
    about = things,
    slug = null,
  }: { headers?: Readonly<Record<string, string>>; about?: Things; slug?: string | null } = {},
): Promise<Outcome> {
  const [method = ''] = route.split(' ');
  const { body, query = {} } = callCases[route];
  const path = `${addressOf(route, about, slug)}?${new URLSearchParams(query)}`.replace(/\?$/, '');
  const whole =
    body &&
    (await basedBody(route, body(about), async (first, part) => {
      const answer = await fetch(service.url + addressOf(first, about, slug), {
        method: first.split(' ')[0] ?? '',
        headers: { 'X-Sluice-CSRF': '1', 'Content-Type': 'application/json', Cookie: cookieOf(browser) },
        body: JSON.stringify(part),
      });
      return ((await answer.json()) as { data?: unknown }).data;
    }));
  const all = {
    'X-Sluice-CSRF': '1',
    'X-Forwarded-For': `10.0.${(address >> 8) & 255}.${++address & 255}`,
    'Content-Type': body ? 'application/json' : '',
    Accept: privateCalls[route].answer.kind === 'stream' ? 'text/event-stream' : 'application/json',
    Cookie: cookieOf(browser),
    ...headers,
  };
  const response = await fetch(service.url + path, {
    method,
    headers: Object.entries(all).filter(([, value]) => value !== ''),
    body: body ? JSON.stringify(whole) : null,
  });
  if (response.ok) {
    // Streams have no end.
    await response.body?.cancel();
    return { status: response.status, code: null };
  }
  const { error } = (await response.json()) as { error: { code: string } };
  return { status: response.status, code: error.code };
}

const nobody = openBrowser('');
const FORBIDDEN: Outcome = { status: 403, code: 'forbidden' };
/** What those may be answered whose role allows a call about what nobody has. */
const TAKEN = [200, 201, 400, 404, 409];
const NOT_LOGGED_IN: Outcome = { status: 401, code: 'unauthenticated' };

for (const route of routes.filter(isAsked)) {
  const { least } = callCases[route];
  if (least === 'anyone') {
    test(`${route} is answered alike to those with and without a session`, async () => {
      const [one, other] = [await ask(route, nobody), await ask(route, browsers.owner)];
      expect(one).toEqual(other);
      expect(one).not.toEqual(FORBIDDEN);
    });
  } else {
    test(`${route} takes the role ${least}`, async () => {
      expect(await ask(route, nobody)).toEqual(NOT_LOGGED_IN);
      for (const role of roles) {
        const browser =
          route === 'DELETE /session' ? await logIn(service.url, `${role}@example.com`) : browsers[role];
        const outcome = await ask(route, browser);
        if (roles.indexOf(role) < roles.indexOf(least)) expect(outcome, role).toEqual(FORBIDDEN);
        else {
          expect(TAKEN, `${role}: ${outcome.code}`).toContain(outcome.status);
          // Based on what was there at that moment, it was carried out.
          if (callCases[route].basedOn) expect(outcome).toEqual({ status: 200, code: null });
        }
      }
    });
  }
}

test('an API key opens none of them', async () => {
  const { secret } = dataOf<{ secret: string }>(await browsers.owner.post('/keys', { name: 'k' }));
  for (const route of routes.filter(one => callCases[one].least !== 'anyone')) {
    const outcome = await ask(route, nobody, { headers: { Authorization: `Bearer ${secret}` } });
    expect(outcome, route).toEqual(NOT_LOGGED_IN);
  }
});

test('none that changes something is taken from another page than the dashboard', async () => {
  const rejected: Outcome = { status: 403, code: 'csrf_rejected' };
  for (const route of routes.filter(one => !one.startsWith('GET '))) {
    for (const [name, value] of [
      ['X-Sluice-CSRF', ''],
      ['Sec-Fetch-Site', 'cross-site'],
      ['Origin', 'https://elsewhere.example'],
    ] as const)
      expect(await ask(route, browsers.owner, { headers: { [name]: value } }), route).toEqual(rejected);
  }
});

/**
 * Two people of two organisations, each where they have the one role with their session, asking in the other by its
 * address.
 */
describe('in the organisation of the address counts the role there', () => {
  const FIRST = 'acme';
  const SECOND = 'second';
  const ownerThere = 'owner-there@example.com';
  const viewerThere = 'viewer-there@example.com';
  const sessions = new Map<string, Browser>();
  let second: string;
  beforeAll(async () => {
    second = dataOf<{ id: string }>(await browsers.owner.post('/organisations', { name: SECOND })).id;
    const inSecond = await logIn(service.url, 'owner@example.com');
    dataOf(await inSecond.put('/session/organisation', { id: second }));
    const addTo = async (inviter: Browser, email: string, role: Role) => {
      const { invite_code } = dataOf<{ invite_code: string }>(
        await inviter.post('/members', { email, role }),
      );
      dataOf(await openBrowser(service.url).post(`/invitations/${invite_code}`, { password: PASSWORD }));
    };
    sessions.set(ownerThere, await join(service.url, browsers.owner, ownerThere, 'viewer'));
    await addTo(inSecond, ownerThere, 'owner');
    sessions.set(viewerThere, await join(service.url, inSecond, viewerThere, 'owner'));
    await addTo(browsers.owner, viewerThere, 'viewer');
  });

  /** Calls that end the session, or lead it elsewhere, have one of their own. */
  const sessionFor = async (route: Route, email: string): Promise<Browser> =>
    (/ \/session/.test(route) && !route.startsWith('GET ') ? undefined : sessions.get(email)) ??
    logIn(service.url, email);

  const asked = routes.filter(route => isAsked(route) && callCases[route].least !== 'anyone');
  for (const route of asked) {
    test(route, async () => {
      const about = { ...things, paths: { ...things.paths, '/organisations': second } };
      const asOwner = await ask(route, await sessionFor(route, ownerThere), { about, slug: SECOND });
      if (callCases[route].isOperators) expect(asOwner, 'owner of the second').toEqual(FORBIDDEN);
      else expect(TAKEN, `owner: ${asOwner.code}`).toContain(asOwner.status);
      const asViewer = await ask(route, await sessionFor(route, viewerThere), { slug: FIRST });
      if (callCases[route].least !== 'viewer') expect(asViewer, 'viewer').toEqual(FORBIDDEN);
      else expect(TAKEN, `viewer: ${asViewer.code}`).toContain(asViewer.status);
    });
  }

  test('and the sessions are where they were, with the other role', async () => {
    const of = async (email: string, path: string) =>
      dataOf<WhoAmI>((await sessions.get(email)?.get(path)) ?? expect.unreachable());
    const shown = ({ organisation: { slug }, role }: WhoAmI) => `${role} of ${slug}`;
    expect(shown(await of(ownerThere, '/session'))).toBe('viewer of acme');
    expect(shown(await of(ownerThere, '/o/second/session'))).toBe('owner of second');
    expect(shown(await of(viewerThere, '/session'))).toBe('owner of second');
    expect(shown(await of(viewerThere, '/o/acme/session'))).toBe('viewer of acme');
  });
});

describe('what hangs on the role of somebody else too', () => {
  const cases: [Role, string, () => string, unknown][] = [
    ['owner', 'POST', () => '/members', { email: 'admin@example.com', role: 'owner' }],
    ['owner', 'PATCH', () => `/members/${ownerId}`, { role: 'owner' }],
  ];
  for (const [least, method, path, body] of cases) {
    test(`${method} ${path().replace(/\/undefined$/, '/{owner}')} takes the role ${least}`, async () => {
      for (const role of roles) {
        const answer = await browsers[role].send(method, path(), { body });
        if (roles.indexOf(role) < roles.indexOf(least))
          expectRefused(answer, { status: 403, code: 'forbidden' });
        else expect([200, 409]).toContain(answer.status);
      }
    });
  }

  test('a job is cancelled by whoever asked for it, or by a member', async () => {
    const orgId = things.paths['/organisations'];
    // Of a kind that nobody works on, so that it does not end by itself.
    const askedBy = async (createdBy: string) => {
      const job = newJob({ orgId, kind: 'none', request: '{}', total: 0, createdBy, createdAt: Date.now() });
      await service.engine.jobs.createJob(job);
      return `/jobs/${job.id}/cancel`;
    };
    const ofOwner = await askedBy('owner@example.com');
    expectRefused(await browsers.viewer.post(ofOwner), { status: 403, code: 'forbidden' });
    expectRefused(await browsers.viewer.post(await askedBy('Viewer@example.com')), {
      status: 403,
      code: 'forbidden',
    });
    for (const [role, path] of [
      ['viewer', await askedBy('viewer@example.com')],
      ['member', ofOwner],
      ['member', await askedBy('viewer@example.com')],
    ] as const)
      expect(dataOf<JobRecord>(await browsers[role].post(path)).state, role).toBe('cancelled');
  });

  test('nobody but an owner deletes an organisation', async () => {
    const path = pathOf('DELETE /organisations/:id', things);
    for (const role of ['viewer', 'member', 'admin'] as const) {
      expectRefused(await browsers[role].delete(path), { status: 403, code: 'forbidden' });
    }
  });
});

test('each is told what their role allows', async () => {
  const permissionsOf = async (role: Role) =>
    dataOf<WhoAmI>(await browsers[role].get('/session')).permissions;
  expect(await permissionsOf('viewer')).toEqual(['read', 'events.export', 'views.save']);
  expect(await permissionsOf('member')).toEqual(expect.arrayContaining(['sources.reveal', 'sources.change']));
  expect(await permissionsOf('member')).not.toContain('keys.change');
  expect(await permissionsOf('admin')).toContain('keys.change');
  expect(await permissionsOf('admin')).not.toContain('owners.change');
  expect(await permissionsOf('owner')).toContain('organisations.change');
});
