import type { AppendRequest } from '../../core/ports.ts';
import type { OperationName } from '../operations.ts';

/** What the doors' thread asks of a storage thread, and what comes back. */
export type Call =
  | { readonly id: number; readonly name: OperationName; readonly args: readonly unknown[] }
  | { readonly id: number; readonly name: 'append'; readonly args: readonly [readonly AppendRequest[]] }
  | { readonly id: number; readonly name: 'check' | 'close'; readonly args: readonly [] };

export type Reply =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly failure: Failure };

export interface Failure {
  /** full: there is no room now. fatal: the process must not go on. refused: this one operation failed. */
  readonly kind: 'full' | 'fatal' | 'refused';
  readonly message: string;
}

export function toFailure(error: unknown): Failure {
  const code = (error as { code?: unknown }).code;
  const message = error instanceof Error ? error.message : String(error);
  if (code === 'SQLITE_FULL') return { kind: 'full', message: 'The disk is full.' };
  if (typeof code === 'string' && code.startsWith('SQLITE_IOERR')) {
    // After a failed flush nobody knows what is on disk: only a fresh start that reads it back can tell.
    return { kind: 'fatal', message: `The disk failed (${code}): ${message}` };
  }
  if (typeof code === 'string' && /^SQLITE_(CORRUPT|NOTADB)/.test(code)) {
    return { kind: 'fatal', message: `The database file is damaged (${code}): ${message}` };
  }
  return { kind: 'refused', message };
}
