import {
  Document,
  type ErrorCode,
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  type Scalar,
  visit,
} from 'yaml';
import { putField } from '../../../core/expressions/path.ts';
import { type Json, type JsonObject, joinPath } from '../../../core/json/json.ts';

/**
 * YAML as a configuration file has it: maps with text keys, lists and plain values, and `!secret` where a secret
 * belongs. No anchors, aliases, merge keys or other tags, so that a document is never larger than it looks. Reading
 * one can take long, and happens on a thread of its own.
 */

/** What is wrong with a document, and where. */
export interface TextProblem {
  readonly line: number | null;
  readonly path: string;
  readonly message: string;
}

export interface ReadText {
  readonly value: Json;
  /** The line of each value by its path. */
  readonly lines: readonly (readonly [string, number])[];
  /** The paths at which `!secret` stands; the value there is `{"set": true}`, as private calls have it. */
  readonly marks: readonly string[];
}

const SECRET_TAG = '!secret';
const MOST_NESTING = 64;
/** Whoever has more mistakes than this to correct will look again anyway. */
const MOST_PROBLEMS = 50;

/** Of the tags that YAML itself has, those that say what a plain value is anyway. */
const plainTags: ReadonlySet<string> = new Set(
  ['map', 'seq', 'str', 'int', 'float', 'bool', 'null'].map(name => `tag:yaml.org,2002:${name}`),
);

export function readYaml(text: string): ReadText | { readonly problems: readonly TextProblem[] } {
  const counter = new LineCounter();
  const problems: TextProblem[] = [];
  const note = (offset: number | undefined, path: string, message: string) => {
    if (problems.length >= MOST_PROBLEMS) return;
    problems.push({ line: offset === undefined ? null : counter.linePos(offset).line, path, message });
  };

  let document: ReturnType<typeof parseDocument>;
  try {
    // Keys are compared below: the library does it in a time that grows with the square of their number.
    document = parseDocument(text, {
      lineCounter: counter,
      prettyErrors: false,
      uniqueKeys: false,
      intAsBigInt: true,
      version: '1.2',
      schema: 'core',
    });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { problems: [{ line: null, path: '', message: TOO_DEEP }] };
  }
  for (const { code, message, pos } of document.errors.slice(0, MOST_PROBLEMS))
    note(pos[0], '', inPlainWords(code, message));
  if (problems.length > 0) return { problems };

  const lines: [string, number][] = [];
  const marks: string[] = [];
  const value = walk(document.contents, '', 1);
  return problems.length > 0 ? { problems } : { value, lines, marks };

  function walk(node: unknown, path: string, depth: number): Json {
    if (node === null || node === undefined) return null;
    const offset = startOf(node);
    if (offset !== undefined) lines.push([path, counter.linePos(offset).line]);
    if (depth > MOST_NESTING) {
      note(offset, path, TOO_DEEP);
      return null;
    }
    if (isAlias(node)) {
      note(offset, path, 'Anchors and aliases are not allowed here.');
      return null;
    }
    if (isMap(node) || isSeq(node) || isScalar(node)) {
      if (node.anchor !== undefined) note(offset, path, 'Anchors and aliases are not allowed here.');
      if (node.tag === SECRET_TAG) return secretAt(node, offset, path);
      if (node.tag !== undefined && !plainTags.has(node.tag))
        note(offset, path, `The tag ${node.tag} is not known here: only ${SECRET_TAG} is.`);
    }
    if (isMap(node)) {
      const fields: JsonObject = {};
      const seen = new Set<string>();
      for (const pair of node.items) {
        const key = isPair(pair) && isScalar(pair.key) ? keyOf(pair.key) : null;
        if (key === null) {
          note(startOf(isPair(pair) ? pair.key : pair) ?? offset, path, 'Every key must be a text.');
          continue;
        }
        const inner = joinPath(path, key);
        const at = startOf(pair.key);
        if (seen.has(key)) note(at, inner, `${inner} is there twice.`);
        seen.add(key);
        const read = walk(pair.value, inner, depth + 1);
        // Where the name stands is where people look.
        if (at !== undefined) lines.push([inner, counter.linePos(at).line]);
        putField(fields, key, read);
      }
      return fields;
    }
    if (isSeq(node)) return node.items.map((item, i) => walk(item, joinPath(path, i), depth + 1));
    return isScalar(node) ? plainValue(node, offset, path) : null;
  }

  function secretAt(node: unknown, offset: number | undefined, path: string): Json {
    const isBare = isScalar(node) && (node.source ?? '') === '';
    if (!isBare)
      note(offset, path, `${SECRET_TAG} stands alone: the secret itself does not belong in a file.`);
    marks.push(path);
    return { set: true };
  }

  function plainValue({ value }: Scalar, offset: number | undefined, path: string): Json {
    switch (typeof value) {
      case 'bigint':
        return Number.isSafeInteger(Number(value)) ? Number(value) : value;
      case 'number':
        if (Number.isFinite(value)) return value;
        note(offset, path, `${path} must be a number within the range of a double.`);
        return null;
      case 'string':
        if (value.includes('\0') || !value.isWellFormed())
          note(offset, path, `${path} holds a character that cannot be stored.`);
        return value;
      case 'boolean':
        return value;
      default:
        return null;
    }
  }
}

const TOO_DEEP = `Values may be nested at most ${MOST_NESTING} levels deep.`;

/** A key such as `404` or `true` is the text that it was written as. */
function keyOf({ value, source, tag, anchor }: Scalar): string | null {
  if (anchor !== undefined || (tag !== undefined && !plainTags.has(tag))) return null;
  if (typeof value === 'string') return value.includes('\0') || !value.isWellFormed() ? null : value;
  return typeof source === 'string' && source !== '' ? source : null;
}

const startOf = (node: unknown): number | undefined =>
  typeof node === 'object' && node !== null && 'range' in node && Array.isArray(node.range)
    ? (node.range[0] as number)
    : undefined;

function inPlainWords(code: ErrorCode, message: string): string {
  switch (code) {
    case 'MULTIPLE_DOCS':
      return 'The file must hold one document, without a second one after ---.';
    case 'TAG_RESOLVE_FAILED':
      return 'A tag is not known here.';
    case 'RESOURCE_EXHAUSTION':
      return TOO_DEEP;
    default:
      return `This is not valid YAML: ${message.replace(/\.?$/, '.')}`;
  }
}

/** Stands where a secret belongs. */
class SecretMark {}

/** In the order that the value has, `!secret` at these paths, after these lines of comment. */
export function writeYaml(
  value: Json,
  marks: readonly (readonly (string | number)[])[],
  comment: string,
): string {
  const document = new Document(value, {
    version: '1.2',
    schema: 'core',
    aliasDuplicateObjects: false,
    customTags: [
      {
        tag: SECRET_TAG,
        default: true,
        identify: one => one instanceof SecretMark,
        resolve: () => null,
        stringify: () => SECRET_TAG,
      },
    ],
  });
  for (const path of marks) document.setIn(path, document.createNode(new SecretMark()));
  // A line for each number of a schedule says no more than one line for all of them.
  visit(document, {
    Seq(_key, list) {
      if (list.items.every(item => isScalar(item) && typeof item.value === 'number')) list.flow = true;
    },
  });
  document.commentBefore = comment;
  return document.toString({ lineWidth: 0, flowCollectionPadding: false });
}
