import type { ConfigurationProblem } from '@sluice/contract/dashboard-configuration';
import type { Problem } from '../../../core/errors.ts';
import { type Json, type JsonObject, joinPath } from '../../../core/json/json.ts';
import { FORMAT_VERSION, fileSections } from './file.ts';
import type { ReadText } from './yaml-text.ts';

/** A file that somebody has uploaded, with its sections told apart and a line for everything that may be wrong in it. */
export interface ReadFile {
  /** Those that the file has: what another section holds is not looked at. */
  readonly sections: Readonly<Partial<Record<FileSection, readonly (readonly [string, JsonObject])[]>>>;
  /** Where the file says that a secret belongs. */
  readonly marks: readonly string[];
  /** What is wrong at a path, with its line. */
  problemAt(path: string, message: string): ConfigurationProblem;
}

export type FileSection = (typeof fileSections)[number]['section'];

/** More would be more than anybody can look through. */
const MOST_ITEMS = 2_000;

export function readFile({ value, lines, marks }: ReadText): {
  readonly file: ReadFile;
  readonly problems: ConfigurationProblem[];
} {
  const problems: ConfigurationProblem[] = [];
  const lineOf = new Map(lines);
  const problemAt = (path: string, message: string): ConfigurationProblem => ({
    path,
    message,
    line: lineAt(lineOf, path),
  });
  const note = (path: string, message: string) => void problems.push(problemAt(path, message));
  const found: Partial<Record<FileSection, [string, JsonObject][]>> = {};
  const file = { sections: found, marks, problemAt };

  if (!isObject(value)) {
    note('', `The file must be a map that begins with sluice: ${FORMAT_VERSION}.`);
    return { file, problems };
  }
  const known = ['sluice', ...fileSections.map(({ section }) => section)];
  for (const name of Object.keys(value))
    if (!known.includes(name)) note(joinPath('', name), `${name} is not a known section.`);
  if (value.sluice !== FORMAT_VERSION)
    note('sluice', `sluice must be ${FORMAT_VERSION}: this says which format the file has.`);
  for (const { section } of fileSections) {
    const items = Object.hasOwn(value, section) ? value[section] : undefined;
    if (items === undefined) continue;
    if (!isObject(items)) {
      note(section, `${section} must be a map of names; {} where there are none.`);
      continue;
    }
    const entries = Object.entries(items);
    if (entries.length > MOST_ITEMS) note(section, `${section} may hold at most ${MOST_ITEMS}.`);
    found[section] = entries.slice(0, MOST_ITEMS).flatMap(([key, item]) => {
      if (isObject(item)) return [[key, item]];
      note(joinPath(section, key), `${joinPath(section, key)} must be a map of settings.`);
      return [];
    });
  }
  return { file, problems };
}

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Of the value itself, or of the nearest one around it where the file leaves it out. */
function lineAt(lines: ReadonlyMap<string, number>, path: string): number | null {
  for (let at = path; at !== ''; at = around(at)) {
    const line = lines.get(at);
    if (line !== undefined) return line;
  }
  return lines.get('') ?? null;
}

/** `a.b[0]` without `[0]`, `a.b` without `.b`, `a["x.y"]` without `["x.y"]`. */
const around = (path: string): string =>
  path.replace(/(?:\[\d+\]|\["(?:[^"\\]|\\.)*"\]|\.?[^.[\]"]+)$/, '') || '';

/** A refusal of something in the file, seen from the file. */
export const seenFrom = (item: string, { path, message }: Problem): { path: string; message: string } => {
  if (path === undefined) return { path: item, message };
  const whole = path.startsWith('[') ? `${item}${path}` : `${item}.${path}`;
  return { path: whole, message };
};
