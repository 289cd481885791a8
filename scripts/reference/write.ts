import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { referencePages } from './pages.ts';

const folder = join(import.meta.dir, '../../docs/reference');
mkdirSync(folder, { recursive: true });
for (const [name, text] of Object.entries(referencePages())) {
  writeFileSync(join(folder, name), text);
  console.log(`docs/reference/${name}`);
}
