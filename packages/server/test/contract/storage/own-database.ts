import { afterAll, beforeAll } from 'bun:test';
import type { OpenedStorage, Subject } from './suite.ts';

/** For a file whose tests see what belongs to every organisation: it leaves nothing waiting in the others' database. */
export function onOwnDatabase(subject: Subject, use: (opened: OpenedStorage) => void): void {
  let opened: OpenedStorage;
  beforeAll(async () => {
    opened = await subject.openEmpty();
    use(opened);
  });
  afterAll(() => opened.remove());
}
