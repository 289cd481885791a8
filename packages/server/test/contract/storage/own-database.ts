import { afterAll, beforeAll } from 'bun:test';
import type { Lent, Subject } from './suite.ts';

/** For a file whose tests see what belongs to every organisation: it leaves nothing waiting in the others' database. */
export function onOwnDatabase(subject: Subject, use: (opened: Lent) => void): void {
  let opened: Lent;
  beforeAll(async () => {
    opened = await subject.openEmpty();
    use(opened);
  });
  afterAll(() => opened.remove());
}
