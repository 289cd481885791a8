import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const sluice = process.env.SLUICE_DEV_SERVER ?? 'http://localhost:8080';

/**
 * What many parts use of the libraries comes as one file: a file for each small thing takes a browser longer than its bytes
 * do. Not what is ours: its style sheets would come along, stand before Mantine's, and lose to them.
 */
const shared = { name: 'shared', minShareCount: 8, test: /node_modules|packages\/contract/ };

/** `npm run dashboard` serves the pages with changes shown at once, beside a Sluice that answers their calls. */
export default defineConfig({
  plugins: [react()],
  // Older targets have `light-dark()` rewritten into something that only works where the scheme stands in the same file.
  build: {
    target: 'es2023',
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    chunkSizeWarningLimit: 900,
    rolldownOptions: { output: { codeSplitting: { groups: [shared] } } },
  },
  server: { proxy: { '/dashboard/api': sluice, '/v1': sluice, '/docs': sluice } },
});
