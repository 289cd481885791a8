import type { Db } from './schema.ts';

/** A port's method as storage implements it: the same arguments behind the database. */
// biome-ignore lint/suspicious/noExplicitAny: the constraint of a generic function type, never a value's type
export type Operation<Method extends (...args: any[]) => Promise<unknown>> = (
  db: Db,
  ...args: Parameters<Method>
) => ReturnType<Method>;
