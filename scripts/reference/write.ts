import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { referencePages } from './pages.ts';

const folder = join(import.meta.dir, '../../docs/reference');
// What the code has no more goes too.
rmSync(folder, { recursive: true, force: true });
for (const [name, text] of Object.entries(referencePages())) {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), text);
  console.log(`docs/reference/${name}`);
}
