import type { ApiKeyStore } from './configuration/api-keys.ts';
import type { Audited, AuditLog } from './configuration/audit.ts';
import type { DestinationStore } from './configuration/destinations.ts';
import type { PipelineStore } from './configuration/pipelines.ts';
import type { SealedStore } from './configuration/sealed.ts';
import type { SourceStore } from './configuration/sources.ts';
import type { TestEventStore } from './configuration/test-events.ts';
import type { SavedViewStore } from './configuration/views.ts';
import type { WholeConfigurationStore } from './configuration/whole.ts';

/** What people set up in the dashboard: keys, sources, pipelines, destinations, saved views, and the record of who did. */
export interface ConfigurationStore
  extends ApiKeyStore,
    SourceStore,
    PipelineStore,
    DestinationStore,
    TestEventStore,
    SealedStore,
    SavedViewStore,
    WholeConfigurationStore,
    AuditLog,
    Audited<Pick<ConfigurationStore, AuditedConfigurationChange>> {}

type AuditedConfigurationChange =
  | 'createApiKey'
  | 'renameApiKey'
  | 'revokeApiKey'
  | 'createSource'
  | 'updateSource'
  | 'deleteSource'
  | 'createPipeline'
  | 'savePipeline'
  | 'notePipelineVersion'
  | 'enablePipeline'
  | 'deletePipeline'
  | 'createDestination'
  | 'updateDestination'
  | 'deleteDestination'
  | 'createTestEvent'
  | 'updateTestEvent'
  | 'deleteTestEvent'
  | 'editConfiguration'
  | 'createView'
  | 'changeView'
  | 'deleteView';
