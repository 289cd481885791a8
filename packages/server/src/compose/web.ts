import { join } from 'node:path';
import type { Hono } from 'hono';
import { createByteRoom } from '../core/http/byte-room.ts';
import { VERSION } from '../core/version.ts';
import { createEntityActions } from '../entities/actions.ts';
import { authenticateKey } from '../ingest/authenticate.ts';
import { providerAdmin } from '../ingest/provider-admin.ts';
import { createExportActions } from '../journal/export/actions.ts';
import { embeddedFiles } from '../runtime/embedded.ts';
import { startThread } from '../runtime/thread.ts';
import { adviceOn, type Settings } from '../settings.ts';
import { addApiDocs } from '../web/api-docs.ts';
import { createApp } from '../web/app.ts';
import { type FirstUser, prepareFirstUser } from '../web/dashboard/access/first-user.ts';
import { findOperatorOrganisation } from '../web/dashboard/access/operator.ts';
import { createDocumentThread } from '../web/dashboard/configuration/document-thread.ts';
import { pagesIn } from '../web/dashboard/pages.ts';
import { addDashboard } from '../web/dashboard/routes.ts';
import type { AddRoutes, WebEnv } from '../web/env.ts';
import { guideIn } from '../web/guide/files.ts';
import { addGuide } from '../web/guide.ts';
import { createCursors } from '../web/paging.ts';
import { createProxyWarning } from '../web/proxy-warning.ts';
import { addEntities } from '../web/public/entities.ts';
import { addListen } from '../web/public/listen.ts';
import { createReadiness, shareChecks } from '../web/readiness.ts';
import type { Foundation } from './foundation.ts';
import { bodyRoomBytes } from './limits.ts';
import type { Parts } from './parts.ts';
import type { StoragePart } from './storage.ts';

/** Where the source lies, with the pages and guides that were made from it. */
const ROOT = join(import.meta.dirname, '../../../..');

/** Since when sessions over TLS have a cookie that no other site can set. */
const COOKIE_SETTING = 'cookie_prefixed_since';

interface WebPart {
  readonly app: Hono<WebEnv>;
  /** The one-time code that opens the set-up; null when there is a user. */
  readonly setupCode: string | null;
  stop(): Promise<void>;
}

/** Everything that is served beside the ingest endpoints: entities, the API reference, the guide, health, the dashboard. */
export async function composeWeb(
  { settings, clock, vault, logger, passwords, deliveriesDue, isDraining, warn }: Foundation,
  { engine, live }: StoragePart,
  { telemetry, endpoints, pipelines, delivery, nodes }: Parts,
): Promise<WebPart> {
  const { accounts, configuration, journal, eventQueue, jobs, counters, upkeep, alerts } = engine;
  const { limits, room, bodyThread, directory, activity } = endpoints;
  // Not the engine's own: through these the delivery worker hears of what is discarded or erased.
  const { deliveryQueue, entities } = delivery;
  const client = { trustProxy: settings.SLUICE_TRUST_PROXY, baseUrl: settings.SLUICE_BASE_URL };
  const entityActions = createEntityActions(entities, clock);
  const checkWritable = shareChecks(engine.checkWritable);
  const checkReady = createReadiness({ isDraining, pipelineProblem: pipelines.problem, checkWritable });
  const firstUser = await prepareFirstUser({ accounts, upkeep }, { vault, clock, passwords });
  await makeAdmin(firstUser, settings);
  const operator = await findOperatorOrganisation({ accounts, upkeep });
  const cookiePrefixedSince = Number(await upkeep.keepSetting(COOKIE_SETTING, String(clock.now())));

  const documents = createDocumentThread({
    start: handlers => startThread(new URL('../document-thread.ts', import.meta.url), handlers),
    onError: warn('configuration files'),
  });
  for (const advice of adviceOn(settings)) logger.warn(advice);
  const routes: AddRoutes[] = [
    app => addApiDocs(app, { limits, version: VERSION, client }),
    app => addGuide(app, embeddedFiles('docs') ?? guideIn(join(ROOT, 'docs'))),
    app =>
      addEntities(app, {
        entities,
        actions: entityActions,
        clock,
        cursors: createCursors(vault),
        limits,
        room,
        largeBodies: bodyThread,
        async authenticate(request) {
          const key = await authenticateKey(request, directory);
          activity.keyUsed(key.id);
          return key;
        },
      }),
  ];
  if (settings.SLUICE_ROLES.includes('deliver'))
    routes.push(app => addListen(app, { listeners: delivery.listeners, limits, room }));
  const servesDashboard = settings.SLUICE_ROLES.includes('dashboard');
  if (servesDashboard) {
    routes.push(app =>
      addDashboard(app, {
        accounts,
        configuration,
        journal,
        eventQueue,
        deliveryQueue,
        entities,
        jobs,
        counters,
        alerts,
        vault,
        clock,
        logger,
        passwords,
        firstUser,
        destinationAdmin: delivery.destinationAdmin,
        deadLetters: delivery.deadLetters,
        pipelineAdmin: pipelines.admin,
        providerAdmin,
        replays: pipelines.replays,
        exports: createExportActions({ jobs, journal, clock }),
        onDeliveriesDue: deliveriesDue.raise,
        entityActions,
        live,
        health: {
          version: VERSION,
          startedAt: clock.now(),
          roles: settings.SLUICE_ROLES,
          nodes: nodes.count,
          measure: engine.measure,
          checkWritable,
        },
        operator,
        fleet: { listNodes: upkeep.listNodes, self: nodes.self, replication: engine.replication },
        client,
        lookForProxy: createProxyWarning({
          trustProxy: settings.SLUICE_TRUST_PROXY,
          clock,
          warn: message => logger.warn(message),
        }),
        cookiePrefixedSince,
        limits,
        // Anybody may send a login: what is held back there takes no room from the ingest endpoints.
        room: createByteRoom(bodyRoomBytes(settings)),
        largeBodies: bodyThread,
        documents,
        defaultRetentionDays: settings.SLUICE_RETENTION_DAYS,
        mostOrganisationsPerUser: settings.SLUICE_MAX_ORGANISATIONS_PER_USER,
        pages: embeddedFiles('dashboard')?.read ?? pagesIn(join(ROOT, 'packages/dashboard/dist')),
      }),
    );
  }
  return {
    app: createApp({ logger, metrics: telemetry.metrics, checkReady, parts: routes }),
    setupCode: servesDashboard && (await firstUser.isWanted()) ? firstUser.code : null,
    stop: async () => documents.stop(),
  };
}

/** The first user without the set-up page. Once there is a user, the settings are left alone. */
async function makeAdmin(firstUser: FirstUser, settings: Settings): Promise<void> {
  const { SLUICE_ADMIN_EMAIL: email, SLUICE_ADMIN_PASSWORD: password } = settings;
  if (email === undefined || password === undefined || !(await firstUser.isWanted())) return;
  await firstUser.make({ organisation: 'My organisation', email, password });
}
