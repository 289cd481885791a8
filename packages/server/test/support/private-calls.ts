import { rmSync } from 'node:fs';
import { Hono } from 'hono';
import { days, systemClock } from '../../src/core/clock.ts';
import { createByteRoom } from '../../src/core/http/byte-room.ts';
import { newId } from '../../src/core/ids.ts';
import { createVault, hashSecret } from '../../src/core/secrets/vault.ts';
import type { User } from '../../src/core/stores/accounts.ts';
import { openStorage } from '../../src/storage/open.ts';
import { createLiveFeed } from '../../src/telemetry/live-feed.ts';
import { createSessions } from '../../src/web/dashboard/access/sessions.ts';
import { type Calls, createCalls } from '../../src/web/dashboard/calls.ts';
import type { WebEnv } from '../../src/web/env.ts';
import { createCursors } from '../../src/web/paging.ts';
import { toProblem, toResponse } from '../../src/web/problem.ts';
import { type EveryStore, everyStore } from './every-store.ts';
import { temporaryDirectory } from './service.ts';

/** The dashboard's calls on real storage, without the rest of the service: for what a test has to step in between. */
export interface PrivateCalls {
  readonly calls: Calls;
  readonly storage: EveryStore;
  readonly orgId: string;
  readonly user: User;
  readonly tokenHash: string;
  /** As the organisation's owner. */
  get(path: string): Promise<Response>;
  /** The same with a body, which may be long in coming. */
  send(method: string, path: string, body?: BodyInit): Promise<Response>;
  close(): Promise<void>;
}

export async function openPrivateCalls(): Promise<PrivateCalls> {
  const directory = temporaryDirectory();
  const engine = await openStorage({ directory, databaseUrl: undefined, onFatal: console.error });
  const storage = everyStore(engine);
  const orgId = newId('org');
  const user = { id: newId('usr'), email: 'a@example.com', passwordHash: '', createdAt: 0 };
  const org = { id: orgId, name: 'Acme', retentionDays: null, searchableTraits: [], createdAt: 0 };
  await storage.createFirstUser(user, org);
  const expiresAt = Date.now() + days(1);
  const session = { tokenHash: hashSecret('token'), userId: user.id, orgId, createdAt: 0, expiresAt };
  await storage.beginSession(session, user.passwordHash);

  const app = new Hono<WebEnv>();
  const calls = createCalls(app, {
    clock: systemClock,
    sessions: createSessions(storage, systemClock, 0),
    cursors: createCursors(createVault('a secret key for tests, 32 characters or more')),
    client: { trustProxy: false, baseUrl: undefined },
    limits: { bodyBytes: 1_024, eventBytes: 1_024, nesting: 64 },
    room: createByteRoom(1_024),
    live: createLiveFeed(),
  });
  app.onError(error => toResponse(toProblem(error)));
  const ask = async (path: string, init: RequestInit) => {
    const headers = { Cookie: 'sluice_session=token', 'X-Sluice-CSRF': '1' };
    const request = new Request(`http://localhost/dashboard/api${path}`, { ...init, headers });
    return app.fetch(request, { address: '127.0.0.1' });
  };
  return {
    calls,
    storage,
    orgId,
    user,
    tokenHash: session.tokenHash,
    get: path => ask(path, {}),
    send: (method, path, body) => ask(path, { method, body: body ?? null }),
    async close() {
      await engine.close();
      rmSync(directory, { recursive: true });
    },
  };
}
