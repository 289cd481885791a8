import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { WhoAmI } from '@sluice/contract/dashboard-accounts';
import type { JobRecord } from '@sluice/contract/dashboard-pipelines';
import { privateCalls, type Route } from '@sluice/contract/private-calls';
import { newJob } from '../../src/core/jobs/new-job.ts';
import { type Role, roles } from '../../src/core/stores/accounts.ts';
import { type Browser, cookieOf, dataOf, join, logIn, openBrowser, setUp } from '../support/dashboard.ts';
import { expectRefused } from '../support/endpoints.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { callCases, routes } from '../support/trust/call-cases.ts';
import { ghosts, pathOf, type Things } from '../support/trust/things.ts';

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
  headers: Readonly<Record<string, string>> = {},
): Promise<Outcome> {
  const [method = ''] = route.split(' ');
  const { body, query = {} } = callCases[route];
  const path = `${pathOf(route, things)}?${new URLSearchParams(query)}`.replace(/\?$/, '');
  const all = {
    'X-Sluice-CSRF': '1',
    'X-Forwarded-For': `10.0.${(address >> 8) & 255}.${++address & 255}`,
    'Content-Type': body ? 'application/json' : '',
    Accept: privateCalls[route].answer.kind === 'stream' ? 'text/event-stream' : 'application/json',
    Cookie: cookieOf(browser),
    ...headers,
  };
  const response = await fetch(`${service.url}/dashboard/api${path}`, {
    method,
    headers: Object.entries(all).filter(([, value]) => value !== ''),
    body: body ? JSON.stringify(body(things)) : null,
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
        else expect([200, 201, 400, 404, 409], `${role}: ${outcome.code}`).toContain(outcome.status);
      }
    });
  }
}

test('an API key opens none of them', async () => {
  const { secret } = dataOf<{ secret: string }>(await browsers.owner.post('/keys', { name: 'k' }));
  for (const route of routes.filter(one => callCases[one].least !== 'anyone')) {
    const outcome = await ask(route, nobody, { Authorization: `Bearer ${secret}` });
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
      expect(await ask(route, browsers.owner, { [name]: value }), route).toEqual(rejected);
  }
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
