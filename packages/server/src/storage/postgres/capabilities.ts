import type { EngineCapabilities } from '../../core/stores/engine.ts';

/** What PostgreSQL can do. */
export const postgresCapabilities: EngineCapabilities = {
  isShared: true,
  canBackUp: false,
  appendIsVisible: 'at once',
};
