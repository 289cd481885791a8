import { describe, expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import {
  type Edge,
  faultOf,
  findCycle,
  importsIn,
  namesOutOfPlace,
  usedByOnePage,
} from './support/import-rules.ts';

const root = join(import.meta.dir, '../../..');

const sourceFiles = readdirSync(join(root, 'packages'))
  .map(name => join(root, 'packages', name, 'src'))
  .filter(folder => existsSync(folder))
  .flatMap(folder =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map(file => join(folder, file)),
  )
  .filter(file => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file));

const fromRoot = (file: string) => relative(root, file);
const sourceOf = (file: string) => readFileSync(file, 'utf8');

const edges: Edge[] = sourceFiles.flatMap(file =>
  importsIn(sourceOf(file)).map(({ specifier, typeOnly }) => ({
    from: fromRoot(file),
    to: specifier.startsWith('.') ? fromRoot(join(dirname(file), specifier)) : specifier,
    typeOnly,
  })),
);

describe('the source', () => {
  test('is found, and its imports with it', () => {
    expect(edges).toContainEqual({
      from: 'packages/server/src/core/stores/engine.ts',
      to: 'packages/server/src/core/stores/change.ts',
      typeOnly: true,
    });
    expect(edges.length).toBeGreaterThan(sourceFiles.length);
  });

  test('imports in one direction only', () => {
    expect(edges.map(faultOf).filter(fault => fault !== null)).toEqual([]);
  });

  test('has what only one page of the dashboard uses in the folder of that page', () => {
    expect(usedByOnePage(edges)).toEqual([]);
  });

  test('has no cycles', () => {
    expect(findCycle(edges)).toBeNull();
  });

  test('starts the threads of storage without schemas, which would be half of their start', () => {
    const entries = ['reader', 'writer'].map(name => `packages/server/src/storage/sqlite/${name}.ts`);
    const reached = new Set(entries);
    for (const file of reached) {
      for (const { from, to, typeOnly } of edges) {
        if (from !== file || typeOnly) continue;
        reached.add(to.replace(/^@sluice\/contract\/(.*)$/, 'packages/contract/src/$1.ts'));
      }
    }
    expect(reached).toContain('packages/contract/src/entity-limits.ts');
    expect(reached).not.toContain('zod');
  });

  test('says the names of Bun and reads the environment only where it may', () => {
    expect(sourceFiles.flatMap(file => namesOutOfPlace(fromRoot(file), sourceOf(file)))).toEqual([]);
  });
});

describe('the rules refuse', () => {
  const server = (file: string) => `packages/server/src/${file}`;
  const dashboard = (file: string) => `packages/dashboard/src/${file}`;
  const refused: [string, string, string][] = [
    ['a stage that knows another', 'ingest/http-ingest.ts', server('journal/append.ts')],
    ['a stage that knows storage', 'journal/append.ts', server('storage/schema.ts')],
    ['a stage that knows the web', 'delivery/attempt.ts', server('web/problem.ts')],
    ['a stage that knows telemetry', 'ingest/rate.ts', server('telemetry/logger.ts')],
    ['core that knows a stage', 'core/stores/engine.ts', server('ingest/limits.ts')],
    ['core that knows a library', 'core/ids.ts', 'ulid'],
    ['core that reads conditions elsewhere', 'core/ids.ts', 're2js'],
    ['storage that knows a stage', 'storage/open.ts', server('journal/append.ts')],
    ['storage that knows the contract', 'storage/schema.ts', '@sluice/contract'],
    ['the web that knows storage', 'web/app.ts', server('storage/open.ts')],
    ['anything that knows the wiring', 'command/serve.ts', server('compose.ts')],
    ['anything that knows the command', 'compose.ts', server('main.ts')],
    ['a step that knows its sibling', 'pipeline/steps/dedupe.ts', server('pipeline/steps/transform.ts')],
    ['a stage that knows one of its steps', 'pipeline/work/run.ts', server('pipeline/steps/dedupe.ts')],
    [
      'a stage that knows the inside of a step',
      'pipeline/work/run.ts',
      server('pipeline/steps/redact/ip.ts'),
    ],
    [
      'a stage that knows one of its destinations',
      'delivery/work/attempt.ts',
      server('delivery/destinations/slack.ts'),
    ],
    ['the wiring that knows one of the destinations', 'compose.ts', server('delivery/destinations/slack.ts')],
    [
      'a destination that knows its sibling',
      'delivery/destinations/slack.ts',
      server('delivery/destinations/webhook.ts'),
    ],
    ['source that knows a test', 'web/app.ts', 'packages/server/test/support/service.ts'],
    ['the contract by its path', 'core/event/event.ts', 'packages/contract/src/event.ts'],
    ['a part that nobody has entered', 'elsewhere/x.ts', server('core/ids.ts')],
  ];
  for (const [what, from, to] of refused) {
    test(`${what}, be it by types alone`, () => {
      for (const typeOnly of [true, false]) {
        expect(faultOf({ from: server(from), to, typeOnly })).toContain(server(from));
      }
    });
  }

  test('a dashboard that knows the server', () => {
    const from = dashboard('lib/api/call.ts');
    expect(faultOf({ from, to: server('core/ids.ts'), typeOnly: true })).not.toBeNull();
    expect(faultOf({ from, to: '@sluice/server', typeOnly: true })).not.toBeNull();
    expect(faultOf({ from, to: '@sluice/contract', typeOnly: false })).toBeNull();
  });

  test('an SDK that knows anything but itself, and Node only in its spool', () => {
    const edge = (from: string, to: string) =>
      faultOf({ from: `packages/sdk/src/${from}`, to, typeOnly: true });
    expect(edge('client.ts', '@sluice/contract')).not.toBeNull();
    expect(edge('client.ts', 'zod')).not.toBeNull();
    expect(edge('client.ts', 'node:fs')).not.toBeNull();
    expect(edge('disk-spool.ts', 'node:fs')).toBeNull();
    expect(edge('client.ts', 'packages/sdk/src/outbox.ts')).toBeNull();
  });

  const above: [string, string, string][] = [
    ['lib that knows a component', 'lib/session.tsx', 'components/card.tsx'],
    ['lib that knows a page', 'lib/session.tsx', 'pages/login/login-page.tsx'],
    ['lib that knows the app', 'lib/session.tsx', 'app/pages.ts'],
    ['a component that knows a page', 'components/card.tsx', 'pages/live/live-page.tsx'],
    ['a component that knows the app', 'components/card.tsx', 'app/theme.ts'],
    ['a page that knows the app', 'pages/live/live-page.tsx', 'app/shell.tsx'],
    ['a page that knows another', 'pages/live/live-page.tsx', 'pages/events/list/events-page.tsx'],
    [
      'a list that knows its detail page',
      'pages/events/list/events-page.tsx',
      'pages/events/detail/event.module.css',
    ],
    ['an app that knows the entry', 'app/shell.tsx', 'main.tsx'],
    ['a folder of the dashboard that nobody has entered', 'elsewhere/x.ts', 'lib/session.tsx'],
  ];
  for (const [what, from, to] of above) {
    test(`${what}, be it by types alone`, () => {
      for (const typeOnly of [true, false]) {
        const fault = faultOf({ from: dashboard(from), to: dashboard(to), typeOnly });
        expect(fault).toContain(dashboard(from));
      }
    });
  }

  test('nothing that goes downwards in the dashboard, or stays in one page', () => {
    const edge = (from: string, to: string) =>
      faultOf({ from: dashboard(from), to: dashboard(to), typeOnly: false });
    expect(edge('main.tsx', 'app/theme.css')).toBeNull();
    expect(edge('app/routes.tsx', 'pages/live/live-page.tsx')).toBeNull();
    expect(edge('pages/live/live-page.tsx', 'pages/live/tail.ts')).toBeNull();
    expect(edge('pages/events/list/events-page.tsx', 'pages/events/replay.ts')).toBeNull();
    expect(edge('pages/live/live-page.tsx', 'components/card.tsx')).toBeNull();
    expect(edge('components/condition/rows.ts', 'components/card.tsx')).toBeNull();
    expect(edge('components/card.tsx', 'lib/session.tsx')).toBeNull();
  });

  test('a component that one page alone uses, but not one that is used beside it', () => {
    const use = (from: string): Edge => ({
      from: dashboard(from),
      to: dashboard('components/card.tsx'),
      typeOnly: false,
    });
    const [list, detail] = [use('pages/events/list/a.tsx'), use('pages/events/detail/b.tsx')];
    expect(usedByOnePage([list, detail])).toHaveLength(1);
    expect(usedByOnePage([list, use('pages/live/c.tsx')])).toEqual([]);
    expect(usedByOnePage([list, use('components/page.tsx')])).toEqual([]);
    expect(usedByOnePage([use('app/shell.tsx')])).toEqual([]);
  });

  test('a ring of files', () => {
    const ring = [
      { from: 'a', to: 'b' },
      { from: 'b', to: 'c' },
      { from: 'c', to: 'b' },
    ];
    expect(findCycle(ring)).toEqual(['b', 'c', 'b']);
    expect(findCycle(ring.slice(0, 2))).toBeNull();
  });

  test('Bun and the environment out of place, but not in a comment', () => {
    const found = (file: string, source: string) => namesOutOfPlace(server(file), source).length;
    expect(found('ingest/x.ts', "import { Database } from 'bun:sqlite';")).toBe(1);
    expect(found('web/x.ts', 'Bun.serve({});')).toBe(1);
    expect(found('web/x.ts', '// Bun.serve is elsewhere\n/** process.env too */')).toBe(0);
    expect(found('runtime/x.ts', 'Bun.serve({});')).toBe(0);
    expect(found('compose.ts', 'process.env.SLUICE_PORT')).toBe(1);
    expect(found('settings.ts', 'process.env')).toBe(0);
  });
});

describe('imports are read', () => {
  test('however they are written', () => {
    const source = `import a from 'a';
import type { B } from 'b';
import {
  c,
} from "c";
export * from './d.ts';
import 'e';
const f = await import('./f.ts');
new Worker(new URL('./g.ts', import.meta.url));
// import h from 'h';
`;
    expect(importsIn(source).map(({ specifier }) => specifier)).toEqual([
      'a',
      'b',
      'c',
      './d.ts',
      'e',
      './f.ts',
      './g.ts',
    ]);
    expect(importsIn(source).filter(({ typeOnly }) => typeOnly)).toEqual([
      { specifier: 'b', typeOnly: true },
    ]);
  });

  test('and a step may know its stage and its registry all steps', () => {
    const server = (file: string) => `packages/server/src/pipeline/${file}`;
    const edge = (from: string, to: string) =>
      faultOf({ from: server(from), to: server(to), typeOnly: false });
    expect(edge('steps/registry.ts', 'steps/dedupe.ts')).toBeNull();
    expect(edge('steps/dedupe.ts', 'step.ts')).toBeNull();
    expect(edge('steps/redact/phone.ts', 'steps/redact/text.ts')).toBeNull();
    expect(edge('steps/redact-pii.ts', 'steps/redact/text.ts')).toBeNull();
    expect(edge('steps/transform.ts', 'steps/redact/text.ts')).not.toBeNull();
  });
});
