import type { EngineCapabilities } from '../../core/stores/engine.ts';

/** What SQLite can do. */
export const sqliteCapabilities: EngineCapabilities = {
  isShared: false,
  canBackUp: true,
  appendIsVisible: 'at once',
};
