import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const sluice = process.env.SLUICE_DEV_SERVER ?? 'http://localhost:8080';

/** `npm run dashboard` serves the pages with changes shown at once, beside a Sluice that answers their calls. */
export default defineConfig({
  plugins: [react()],
  // Older targets have `light-dark()` rewritten into something that only works where the scheme stands in the same file.
  build: {
    target: 'es2023',
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    chunkSizeWarningLimit: 900,
    // What most pages use comes as one file: a file for each small thing of it takes a browser longer than the bytes.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'shared', minShareCount: 8 }] } } },
  },
  server: { proxy: { '/dashboard/api': sluice, '/v1': sluice, '/docs': sluice } },
});
