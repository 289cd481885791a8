/**
 * Which part of the code may import which other. Everything that is not listed is forbidden, so that a new part
 * has to be entered here before anything can be built on it. Tests stand outside: they may look anywhere.
 */
export interface Edge {
  /** A file, from the root of the repository: `packages/server/src/core/ids.ts`. */
  readonly from: string;
  /** A file likewise, or the name of a package: `zod`, `node:fs`, `@sluice/contract`. */
  readonly to: string;
  readonly typeOnly: boolean;
}

const stages = ['ingest', 'journal', 'pipeline', 'routing', 'delivery', 'entities', 'alerts'] as const;

const mayKnow: Readonly<Record<string, readonly string[]>> = {
  contract: [],
  core: ['contract'],
  ...Object.fromEntries(stages.map(stage => [stage, ['contract', 'core']])),
  storage: ['core'],
  telemetry: ['core'],
  runtime: ['core'],
  web: ['contract', 'core', 'telemetry', 'runtime'],
  settings: [],
  command: ['contract', 'core', 'runtime', 'settings', 'storage', 'telemetry'],
  compose: [
    'contract',
    'core',
    ...stages,
    'body-thread',
    'database-thread',
    'document-thread',
    'pipeline-thread',
    'rendering-thread',
    'sending-thread',
    'runtime',
    'settings',
    'storage',
    'telemetry',
    'web',
  ],
  'body-thread': ['core', 'ingest'],
  'database-thread': ['core', 'delivery'],
  'document-thread': ['core', 'web'],
  'pipeline-thread': ['core', 'pipeline', 'routing', 'runtime'],
  'rendering-thread': ['core', 'delivery'],
  'sending-thread': ['core', 'delivery', 'rendering-thread', 'database-thread', 'runtime'],
  main: ['command', 'compose', 'core', 'runtime', 'settings'],
  dashboard: ['contract'],
  sdk: [],
};

/** The dashboard's folders, each above those it may know; `main.tsx` is on top and knows all of them. */
const dashboardLayers = ['lib', 'components', 'pages', 'app', 'main'] as const;

/** The part a file belongs to: a package, a folder of the server, or one of the server's own files. */
export function partOf(file: string): string {
  const [, part = ''] =
    /^packages\/server\/src\/([^/.]+)/.exec(file) ?? /^packages\/([^/]+)\//.exec(file) ?? [];
  return part;
}

/** What is wrong with an import, in one line; null when it goes the right way. */
export function faultOf(edge: Edge): string | null {
  const from = partOf(edge.from);
  const allowed = mayKnow[from];
  if (allowed === undefined) return `${edge.from} belongs to no known part: enter it in import-rules.ts.`;
  if (!edge.to.startsWith('packages/') && !edge.to.startsWith('@sluice/')) return packageFault(edge, from);
  if (edge.to.includes('/test/') || edge.to.endsWith('.test.ts')) return `${says(edge)}: a test.`;
  const to = edge.to.startsWith('@sluice/') ? (edge.to.split('/')[1] ?? '') : partOf(edge.to);
  if (from !== to && !allowed.includes(to)) return `${says(edge)}: ${from} may not know ${to}.`;
  if (from !== to && to === 'contract' && edge.to.startsWith('packages/'))
    return `${says(edge)}: say @sluice/contract.`;
  return from === 'dashboard' && from === to ? layerFault(edge) : kindFault(edge);
}

/** The words of the domain stand on nothing but the language and their schemas. */
function packageFault(edge: Edge, from: string): string | null {
  if (from === 'contract' && edge.to !== 'zod') return `${says(edge)}: the contract knows zod only.`;
  if (from === 'core' && !isCoreLibrary(edge)) {
    return `${says(edge)}: core knows zod and Node's own modules only.`;
  }
  if (from === 'sdk' && !isSpoolLibrary(edge))
    return `${says(edge)}: the SDK runs anywhere, and knows nothing.`;
  return null;
}

/** Conditions are words of the domain too, and are read by two libraries that do nothing but compute. */
const isCoreLibrary = ({ from, to }: Edge): boolean =>
  to === 'zod' || to.startsWith('node:') || (from.includes('/core/expressions/cel/') && to === 're2js');

/** The spool is the one part of the SDK that is for Node and Bun alone. */
const isSpoolLibrary = ({ from, to }: Edge): boolean => from.includes('spool') && to.startsWith('node:');

/**
 * Steps and destinations can be taken out one by one: only their registry knows them, and nobody else does. One that
 * is too large for a file has a folder beside it: `redact/` is of `redact-pii.ts`.
 */
function kindFault(edge: Edge): string | null {
  const from = kindOf(edge.from);
  const to = kindOf(edge.to);
  if (to === undefined || to === 'registry' || from === to || from === 'registry') return null;
  if (from === undefined) return `${says(edge)}: only the registry knows a step or a destination.`;
  const isOwnFolder = from.startsWith(`${to}-`) && edge.to.includes(`/${to}/`);
  return isOwnFolder ? null : `${says(edge)}: a step or destination never knows a sibling.`;
}

const kindOf = (file: string): string | undefined =>
  /\/(?:pipeline\/steps|delivery\/destinations)\/([^/]+?)(?:\.ts)?(?:\/|$)/.exec(file)?.[1];

/** The dashboard's own layers: downwards only, and never from one page's folder into another's. */
function layerFault(edge: Edge): string | null {
  const from = layerOf(edge.from);
  const to = layerOf(edge.to);
  if (from < 0) return `${edge.from} belongs to no layer of the dashboard: enter it in import-rules.ts.`;
  if (to < 0 || to > from) return `${says(edge)}: it lies above.`;
  if (dashboardLayers[from] !== 'pages' || from !== to) return null;
  const [own, other] = [folderOf(edge.from), folderOf(edge.to)];
  // What lies in `pages/events/` itself is shared by `pages/events/list/` and `pages/events/detail/`.
  const isOwn = own.startsWith(other) || other.startsWith(own);
  return isOwn ? null : `${says(edge)}: a page never knows another page.`;
}

const layerOf = (file: string): number => {
  const [, name = ''] = /^packages\/dashboard\/src\/([^/.]+)/.exec(file) ?? [];
  return (dashboardLayers as readonly string[]).indexOf(name);
};

/** Files of the dashboard's lower layers that a single page uses: they belong in that page's folder. */
export function usedByOnePage(edges: readonly Edge[]): string[] {
  const users = Map.groupBy(edges, ({ to }) => to);
  return [...users].flatMap(([file, all]) => {
    if (!/^packages\/dashboard\/src\/(lib|components)\//.test(file)) return [];
    const folders = new Set(
      all.map(({ from }) => /^packages\/dashboard\/src\/(pages\/)?[^/]+/.exec(from)?.[0]),
    );
    const [only = ''] = folders;
    return folders.size === 1 && only.includes('/pages/') ? [`${file} is used by ${only} alone.`] : [];
  });
}

const folderOf = (file: string): string => file.slice(0, file.lastIndexOf('/') + 1);

const says = (edge: Edge) => `${edge.from} imports ${edge.to}`;

/** What a file's own text may not say where it stands. */
export function namesOutOfPlace(file: string, source: string): string[] {
  const code = withoutComments(source);
  const faults: string[] = [];
  if (
    /\bBun\b|['"]bun(:|['"])/.test(code) &&
    !/^packages\/server\/src\/(runtime|storage\/sqlite)\//.test(file)
  ) {
    faults.push(`${file} says a name of Bun's own; those stay in runtime/ and storage/sqlite/.`);
  }
  if (/\bprocess\.env\b|\bimport\.meta\.env\b|['"]dotenv['"]/.test(code) && partOf(file) !== 'settings') {
    faults.push(`${file} reads the environment; settings.ts is its only reader.`);
  }
  return faults;
}

/** Every import of a file as it is written: static, type-only, re-exported, dynamic, or a worker's script. */
export function importsIn(source: string): { specifier: string; typeOnly: boolean }[] {
  const code = withoutComments(source);
  const found: { specifier: string; typeOnly: boolean }[] = [];
  for (const [, type, specifier = ''] of code.matchAll(
    /(?:^|[\n;])\s*(?:import|export)\s+(type\s)?[^'"`;]*?\bfrom\s*['"]([^'"]+)['"]/g,
  )) {
    found.push({ specifier, typeOnly: type !== undefined });
  }
  for (const pattern of [
    /(?:^|[\n;])\s*import\s*['"]([^'"]+)['"]/g,
    /\bimport\(\s*['"]([^'"]+)['"]/g,
    /\bnew URL\(\s*['"](\.[^'"]+)['"]\s*,\s*import\.meta\.url/g,
  ]) {
    for (const [, specifier = ''] of code.matchAll(pattern)) found.push({ specifier, typeOnly: false });
  }
  return found;
}

/** The code of a file; comments may name anything. */
export const withoutComments = (source: string): string =>
  source.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1');

/** A ring of files that import each other, or null. */
export function findCycle(edges: readonly Pick<Edge, 'from' | 'to'>[]): string[] | null {
  const next = Map.groupBy(edges, edge => edge.from);
  const done = new Set<string>();
  const walk = (file: string, path: string[]): string[] | null => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (done.has(file)) return null;
    for (const { to } of next.get(file) ?? []) {
      const cycle = walk(to, [...path, file]);
      if (cycle) return cycle;
    }
    done.add(file);
    return null;
  };
  for (const file of next.keys()) {
    const cycle = walk(file, []);
    if (cycle) return cycle;
  }
  return null;
}
