import { expect, test } from 'bun:test';
import { defaultEventLimits } from '@sluice/contract';
import { privateCalls } from '@sluice/contract/private-calls';
import { Hono } from 'hono';
import { addDashboard, type DashboardDependencies } from '../src/web/dashboard/routes.ts';
import type { WebEnv } from '../src/web/env.ts';

const PREFIX = '/dashboard/api';

/** Whatever the dashboard registers. Registering asks nothing of its dependencies, so most of them are left out. */
function registeredCalls(): string[] {
  const app = new Hono<WebEnv>();
  const parts = { storage: {}, limits: defaultEventLimits, pages: async () => null };
  addDashboard(app, parts as unknown as DashboardDependencies);
  return app.routes
    .filter(({ path }) => path.startsWith(`${PREFIX}/`))
    .map(({ method, path }) => `${method} ${path.slice(PREFIX.length)}`);
}

const IN_ORGANISATION = '/o/:organisation{[a-z0-9-]+}';

test('the server registers each private call of the contract once, and once in an organisation, and no other', () => {
  const registered = registeredCalls().sort();
  const [inside, plain] = [true, false].map(isInside =>
    registered.filter(call => call.includes(` ${IN_ORGANISATION}/`) === isInside),
  );
  expect(plain).toEqual(Object.keys(privateCalls).sort());
  expect(inside?.map(call => call.replace(IN_ORGANISATION, '')).sort()).toEqual(plain ?? []);
});
