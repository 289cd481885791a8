import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Route } from '@sluice/contract/private-calls';
import { API, type Checker, SymbolFlags, type Type, TypeFlags } from 'typescript/unstable/async';
import { newFolder } from '../folder.ts';

/**
 * What private calls answer with, as the contract's types say. Nothing checks those types when the service runs, so
 * the compiler is asked for them, and answers are held against what it says.
 */
export type Shape =
  | { readonly kind: 'anything' }
  | { readonly kind: 'primitive'; readonly type: 'string' | 'number' | 'boolean' }
  | { readonly kind: 'literal'; readonly value: unknown }
  | { readonly kind: 'list'; readonly of: Shape }
  | { readonly kind: 'union'; readonly of: readonly Shape[] }
  | { readonly kind: 'object'; readonly fields: ReadonlyMap<string, Field>; readonly others: Shape | null };

interface Field {
  readonly isOptional: boolean;
  readonly shape: Shape;
}

/** Says itself that it is only a part of what is there. */
const OPEN_TYPE = 'ConfigSchema';

const root = join(import.meta.dir, '../../../../..');
const TABLE = join(root, 'packages/contract/src/private-calls.ts');

/** Of each call that answers with JSON: what stands under `data`. */
export async function readAnswerShapes(): Promise<Map<Route, Shape>> {
  const config = join(newFolder(), 'tsconfig.json');
  const options = {
    extends: join(root, 'tsconfig.json'),
    compilerOptions: { types: [] },
    include: [],
    files: [TABLE],
  };
  writeFileSync(config, JSON.stringify(options));
  const api = new API({ cwd: root });
  try {
    const project = (await api.updateSnapshot({ openProjects: [config] })).getProject(config);
    const file = await project?.program.getSourceFile(TABLE);
    if (!project || !file) throw new Error('The compiler does not find the table of private calls.');
    const { checker } = project;
    const end = { document: TABLE, position: file.text.length - 1 };
    const table = await checker.resolveName('privateCalls', SymbolFlags.Value, end);
    const type = table && (await checker.getTypeOfSymbol(table));
    if (!type) throw new Error('The compiler does not know the table of private calls.');
    const shapes = new Map<Route, Shape>();
    const read = shapeReader(checker);
    for (const call of await checker.getPropertiesOfType(type)) {
      const answer = await fieldType(checker, await checker.getTypeOfSymbol(call), 'answer');
      const data = await fieldType(checker, answer, 'data');
      const row = await fieldType(checker, answer, 'row');
      if (data) shapes.set(call.name as Route, await read(data));
      else if (row) shapes.set(call.name as Route, { kind: 'list', of: await read(row) });
    }
    return shapes;
  } finally {
    await api.close();
  }
}

async function fieldType(checker: Checker, type: Type | undefined, name: string): Promise<Type | undefined> {
  const symbol = type && (await checker.getPropertyOfType(type, name));
  return symbol && checker.getTypeOfSymbol(symbol);
}

function shapeReader(checker: Checker): (type: Type) => Promise<Shape> {
  const known = new Map<number, Shape>();

  async function read(type: Type): Promise<Shape> {
    const before = known.get(type.id);
    if (before) return before;
    if (type.isUnionType()) {
      // An absent field is told apart by its symbol, and is not in the JSON.
      const parts = (await type.getTypes()).filter(({ flags }) => !(flags & TypeFlags.Undefined));
      return { kind: 'union', of: await Promise.all(parts.map(read)) };
    }
    if (type.isLiteralType()) return { kind: 'literal', value: type.value };
    if (type.flags & TypeFlags.Null) return { kind: 'literal', value: null };
    if (type.flags & TypeFlags.String) return { kind: 'primitive', type: 'string' };
    if (type.flags & TypeFlags.Number) return { kind: 'primitive', type: 'number' };
    if (type.flags & TypeFlags.Boolean) return { kind: 'primitive', type: 'boolean' };
    if (type.flags & (TypeFlags.Unknown | TypeFlags.Any)) return { kind: 'anything' };
    if (await checker.isArrayLikeType(type)) {
      const [item] = type.isTypeReference() ? await checker.getTypeArguments(type) : [];
      if (item) return { kind: 'list', of: await read(item) };
    }
    if (type.isObjectType() || type.isIntersectionType()) return readObject(type);
    throw new Error(`No answer in JSON has the type ${await checker.typeToString(type)}.`);
  }

  async function readObject(type: Type): Promise<Shape> {
    const fields = new Map<string, Field>();
    const [others] = await checker.getIndexInfosOfType(type);
    // Before its fields are read: a schema holds schemas.
    const shape = { kind: 'object' as const, fields, others: null as Shape | null };
    known.set(type.id, shape);
    if (others) shape.others = await read(others.valueType);
    else if ((await type.getSymbol())?.name === OPEN_TYPE) shape.others = { kind: 'anything' };
    for (const symbol of await checker.getPropertiesOfType(type)) {
      const isOptional = (symbol.flags & SymbolFlags.Optional) !== 0;
      const ofField = await checker.getTypeOfSymbol(symbol);
      if (ofField) fields.set(symbol.name, { isOptional, shape: await read(ofField) });
    }
    return shape;
  }
  return read;
}

/** What is wrong with a value, with the way to it; null where nothing is. */
export function misfit(value: unknown, shape: Shape, path = 'data'): string | null {
  switch (shape.kind) {
    case 'anything':
      return null;
    case 'primitive':
      return typeof value === shape.type ? null : `${path} is no ${shape.type}: ${shown(value)}`;
    case 'literal':
      return value === shape.value ? null : `${path} is not ${shown(shape.value)}: ${shown(value)}`;
    case 'list': {
      if (!Array.isArray(value)) return `${path} is no list: ${shown(value)}`;
      return firstOf(value.entries(), ([n, item]) => misfit(item, shape.of, `${path}[${n}]`));
    }
    case 'union': {
      const misfits = shape.of.map(one => misfit(value, one, path));
      return misfits.includes(null) ? null : misfits.join(', and ');
    }
    case 'object': {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) {
        return `${path} is no object: ${shown(value)}`;
      }
      const missing = [...shape.fields].find(
        ([name, { isOptional }]) => !isOptional && !Object.hasOwn(value, name),
      );
      if (missing) return `${path} has no ${missing[0]}: ${shown(value)}`;
      return firstOf(Object.entries(value), ([name, inner]) => {
        const of = shape.fields.get(name)?.shape ?? shape.others;
        return of ? misfit(inner, of, `${path}.${name}`) : `${path} has a field that nobody knows: ${name}`;
      });
    }
  }
}

function firstOf<T>(items: Iterable<T>, look: (item: T) => string | null): string | null {
  for (const item of items) {
    const found = look(item);
    if (found !== null) return found;
  }
  return null;
}

const shown = (value: unknown): string => JSON.stringify(value)?.slice(0, 200) ?? 'nothing';
