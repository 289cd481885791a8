/** `npm run reference`: writes docs/reference/ from the code. A test fails while it is stale. */
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { status } = spawnSync(
  join(root, 'node_modules', '.bin', 'bun'),
  [join(root, 'scripts', 'reference', 'write.ts')],
  { stdio: 'inherit' },
);
process.exit(status ?? 1);
