import type { ConfigurationStore } from '../../../core/stores/configuration.ts';
import { made, named, read, type StoreOperations, snapshot, write } from '../../operation.ts';
import * as apiKeys from './api-keys.ts';
import * as audit from './audit.ts';
import { nameAuditTargets } from './audit-targets.ts';
import * as breakers from './breakers.ts';
import * as destinations from './destinations.ts';
import * as pipelines from './pipelines.ts';
import * as sealed from './sealed.ts';
import * as sources from './sources.ts';
import * as testEvents from './test-events.ts';
import * as views from './views.ts';
import * as whole from './whole.ts';

/** Keys, sources, pipelines, destinations, saved test events, and the audit log. */
export const configurationOperations: StoreOperations<ConfigurationStore> = {
  createApiKey: write(apiKeys.createApiKey, made('keys')),
  listApiKeys: read(apiKeys.listApiKeys),
  findApiKey: read(apiKeys.findApiKey),
  findApiKeyByHash: read(apiKeys.findApiKeyByHash),
  renameApiKey: write(apiKeys.renameApiKey, named('keys')),
  revokeApiKey: write(apiKeys.revokeApiKey, named('keys')),

  createSource: write(sources.createSource, made('sources')),
  listSources: read(sources.listSources),
  findSource: read(sources.findSource),
  findSourceByTokenHash: read(sources.findSourceByTokenHash),
  updateSource: write(sources.updateSource, named('sources')),
  deleteSource: write(sources.deleteSource, named('sources')),
  recordActivity: write(sources.recordActivity),
  listRejections: read(sources.listRejections),
  groupRejections: snapshot(sources.groupRejections),

  createPipeline: write(pipelines.createPipeline, made('pipelines')),
  listPipelines: read(pipelines.listPipelines),
  findPipeline: read(pipelines.findPipeline),
  savePipeline: write(pipelines.savePipeline, named('pipelines')),
  // What processes events is as it was: nobody has to read anything again.
  notePipelineVersion: write(pipelines.notePipelineVersion),
  enablePipeline: write(pipelines.enablePipeline, named('pipelines')),
  deletePipeline: write(pipelines.deletePipeline, named('pipelines')),
  listPipelineVersions: read(pipelines.listPipelineVersions),
  findPipelineVersion: read(pipelines.findPipelineVersion),
  readProcessing: snapshot(pipelines.readProcessing),

  createDestination: write(destinations.createDestination, made('destinations')),
  listDestinations: read(destinations.listDestinations),
  findDestination: read(destinations.findDestination),
  updateDestination: write(destinations.updateDestination, named('destinations')),
  deleteDestination: write(destinations.deleteDestination, named('destinations')),

  recordLastErrors: write(destinations.recordLastErrors),
  listLastErrors: read(destinations.listLastErrors),

  beginListening: write(destinations.beginListening, named('destinations')),
  endListening: write(destinations.endListening, named('destinations')),

  // Nodes stop sending when one of them finds it down, and go on when one finds it up again.
  openBreaker: write(breakers.openBreaker, named('destinations')),
  closeBreaker: write(breakers.closeBreaker, named('destinations')),
  hastenProbe: write(breakers.hastenProbe, named('destinations')),
  takeProbe: write(breakers.takeProbe),
  endProbe: write(breakers.endProbe),
  bringProbesForward: write(breakers.bringProbesForward),

  listViews: read(views.listViews),
  findView: read(views.findView),
  createView: write(views.createView),
  changeView: write(views.changeView),
  deleteView: write(views.deleteView),

  createTestEvent: write(testEvents.createTestEvent),
  listTestEvents: read(testEvents.listTestEvents),
  findTestEvent: read(testEvents.findTestEvent),
  updateTestEvent: write(testEvents.updateTestEvent),
  deleteTestEvent: write(testEvents.deleteTestEvent),

  listSealed: read(sealed.listSealed),
  replaceSealed: write(sealed.replaceSealed),

  readConfiguration: snapshot(whole.readConfiguration),
  // It may change anything that is kept of an organisation, so all of that is dropped.
  editConfiguration: write(whole.editConfiguration, organisationId => ({
    organisationId,
    what: 'organisation',
  })),

  recordAudit: write(audit.recordAudit),
  listAudit: read(audit.listAudit),
  countAudit: read(audit.countAudit),
  listAuditActors: read(audit.listAuditActors),
  findAudit: read(audit.findAudit),
  nameAuditTargets: read(nameAuditTargets),
};
