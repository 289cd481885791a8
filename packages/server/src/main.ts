import { startService } from './compose.ts';
import { BadSetting, readSettings } from './settings.ts';

const service = await startService(readSettings(), {
  onFatal(reason) {
    console.error(reason);
    process.exit(1);
  },
}).catch((error: unknown) => {
  console.error(error instanceof BadSetting ? error.message : error);
  process.exit(1);
});
console.log(`Sluice is ready on http://localhost:${service.port}`);
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.on(signal, () => void service.stop().then(() => process.exit(0)));
}
