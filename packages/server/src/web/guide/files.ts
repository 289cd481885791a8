import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The files that the guide is made of, by their names: `cookbook/x.md`, `pictures/y.svg`. */
export interface GuideFiles {
  list(): Promise<readonly string[]>;
  /** Null where there is no such file. */
  read(name: string): Promise<Uint8Array<ArrayBuffer> | null>;
}

/** As they lie in the folder `docs`. */
export const guideIn = (folder: string): GuideFiles => ({
  list: () => readdir(folder, { recursive: true, encoding: 'utf8' }).catch(() => []),
  read: name => readFile(join(folder, name)).catch(() => null),
});
