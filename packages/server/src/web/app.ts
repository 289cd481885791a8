import { Hono } from 'hono';
import { Problem } from '../core/errors.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { AddRoutes, WebEnv } from './env.ts';
import { toProblem, toResponse } from './problem.ts';

interface WebDependencies {
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Rejects with the reason while events cannot be accepted. */
  checkReady(): Promise<void>;
  /** The dashboard, the reference, the entities: whatever else this process serves. */
  readonly parts: readonly AddRoutes[];
}

/** The routes of everything but the two ingest endpoints, which are served without a router. */
export function createApp(dependencies: WebDependencies): Hono<WebEnv> {
  const app = new Hono<WebEnv>();

  app.get('/healthz', context => context.json({ data: { status: 'alive' } }));
  app.get('/readyz', async context => {
    await dependencies.checkReady();
    return context.json({ data: { status: 'ready' } });
  });
  app.get('/metrics', async () => {
    const text = await dependencies.metrics.render();
    return new Response(text, { headers: { 'Content-Type': dependencies.metrics.contentType } });
  });
  for (const add of dependencies.parts) add(app);

  app.notFound(context => {
    const methods = allowedMethods(app, context.req.path);
    if (methods.length === 0) return toResponse(new Problem('not_found'));
    return toResponse(new Problem('method_not_allowed', { allow: methods.join(', ') }));
  });
  app.onError(error => {
    if (!(error instanceof Problem)) dependencies.logger.error({ err: error }, 'a route failed');
    return toResponse(toProblem(error));
  });
  return app;
}

/** The methods that some route answers at this path. */
function allowedMethods(app: Hono<WebEnv>, path: string): string[] {
  const methods = new Set<string>();
  for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
    const [handlers] = app.router.match(method, path);
    const routed = handlers.some(([[, route]]) => route.method === method);
    if (routed) methods.add(method);
  }
  return [...methods];
}
