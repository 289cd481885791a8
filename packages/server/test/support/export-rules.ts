import { dirname, join } from 'node:path';
import { withoutComments } from './import-rules.ts';

/** The rules of exports: a name means one thing, and what nobody else uses is not exported. */
export interface SourceFile {
  /** From the root of the repository: `packages/server/src/core/ids.ts`. */
  readonly path: string;
  readonly source: string;
}

const CONTRACT = 'packages/contract/src';

/** The names that a file defines for others, each once: a constant and its type may share one. */
export function exportsIn(source: string): string[] {
  const declared = withoutComments(source).matchAll(
    /^export (?:declare |abstract |async )*(?:const|let|function\*?|class|interface|type|enum) (\w+)/gm,
  );
  return [...new Set([...declared].map(([, name = '']) => name))];
}

/** What is wrong, a line for each name that two files export. */
export function exportedTwice(files: readonly SourceFile[]): string[] {
  const places = new Map<string, string[]>();
  for (const { path, source } of files)
    for (const name of exportsIn(source)) places.set(name, [...(places.get(name) ?? []), path]);
  return [...places]
    .filter(([, paths]) => paths.length > 1)
    .map(([name, paths]) => `${name} is exported by ${paths.join(' and by ')}.`);
}

/** What is wrong, a line for each name that no other file imports. */
export function unusedExports(files: readonly SourceFile[], users: readonly SourceFile[]): string[] {
  const used = new Set(users.flatMap(usesIn));
  return files.flatMap(({ path, source }) =>
    exportsIn(source)
      .filter(name => !used.has(`${placeOf(path)} ${name}`))
      .map(name => `${path} exports ${name}, and no other file imports it.`),
  );
}

/** The contract's names are imported from its entry as well: which of its files has one does not matter. */
const placeOf = (path: string): string => (path.startsWith(CONTRACT) ? CONTRACT : path);

/** Every name that a file imports or passes on, with where it is from; of a namespace, those that are read off it. */
function usesIn({ path, source }: SourceFile): string[] {
  const code = withoutComments(source);
  const imported = code.matchAll(
    /^(?:import|export) (?:type )?(?:\w+, )?(?:\* as (\w+)|\{([^}]*)\}) from '([^']+)'/gm,
  );
  const from = (specifier: string): string =>
    specifier.startsWith('@sluice/contract') ? CONTRACT : placeOf(join(dirname(path), specifier));
  const lazily = [...code.matchAll(/\bimport\('([^']+)'\), '(\w+)'/g)];
  const atOnce = [...imported].flatMap(([, namespace, list = '', specifier = '']) => {
    const names =
      namespace === undefined
        ? [...list.matchAll(/(?:^|,)\s*(?:type )?(\w+)/g)]
        : [...code.matchAll(new RegExp(`\\b${namespace}\\.(\\w+)`, 'g'))];
    return names.map(([, name = '']) => `${from(specifier)} ${name}`);
  });
  return [...atOnce, ...lazily.map(([, specifier = '', name]) => `${from(specifier)} ${name}`)];
}
