import type { z } from 'zod';
import {
  acceptInvitationBody,
  type InvitationRecord,
  inviteBody,
  loginBody,
  type MemberRecord,
  memberChange,
  moveSessionBody,
  type NewInvitationRecord,
  type OrganisationRecord,
  organisationBody,
  organisationChange,
  type SetupRecord,
  setupBody,
  type Whereabouts,
  type WhoAmI,
} from './dashboard-accounts.ts';
import type { AlertsRecord } from './dashboard-alerts.ts';
import { type AuditActorRecord, type AuditRecord, auditExportQuery, auditQuery } from './dashboard-audit.ts';
import {
  type AppliedConfiguration,
  type ConfigurationDifference,
  type ConfigurationFile,
  configurationApplyBody,
  configurationDifferenceBody,
} from './dashboard-configuration.ts';
import {
  type DestinationProbeRecord,
  type DestinationRecord,
  type DestinationTestRecord,
  deadLetterFilter,
  deadLettersQuery,
  deliveriesQuery,
  deliveryCountQuery,
  destinationBody,
  destinationChange,
  destinationRotation,
  discardDeadLetters,
  type NewDestinationRecord,
  type RotatedDestinationRecord,
  retryDeadLetters,
  type TableColumnsRecord,
  tableColumnsBody,
} from './dashboard-deliveries.ts';
import {
  type EventHistogram,
  type EventSummary,
  type EventTypeRecord,
  eventsQuery,
  exportQuery,
  histogramQuery,
  tailQuery,
} from './dashboard-events.ts';
import { exportBody } from './dashboard-exports.ts';
import {
  type BadgesRecord,
  type DestinationListFigures,
  listFiguresQuery,
  type PipelineFigures,
  type PipelineListFigures,
  type SourceListFigures,
} from './dashboard-figures.ts';
import { type KeyRecord, keyBody, keyChange, type NewKeyRecord } from './dashboard-keys.ts';
import type { KindRecord } from './dashboard-kinds.ts';
import type { DeadLetter, DeadLetterSummary, DeliveryRecord, EventRecord } from './dashboard-letters.ts';
import type { NodesRecord } from './dashboard-nodes.ts';
import {
  type CappedCountRecord,
  type CountersRecord,
  countersQuery,
  type DestinationFigures,
  figuresQuery,
  type HealthRecord,
  type MapRecord,
  type OverviewRecord,
  overviewQuery,
  type TopRecord,
} from './dashboard-overview.ts';
import {
  type AccountRecord,
  accountChange,
  type OwnSessionRecord,
  passwordChange,
  passwordProof,
  type RecoveryCodesRecord,
  type SecondFactorOffer,
  secondFactorBody,
} from './dashboard-own-account.ts';
import {
  type ConditionCheck,
  conditionCheckBody,
  type DryRunRecord,
  dryRunBody,
  type JobRecord,
  type PipelineDetails,
  type PipelineRecord,
  type PipelineVersionRecord,
  pipelineBody,
  pipelineChange,
  pipelineNote,
  replayBody,
  replaysBody,
  rollbackBody,
} from './dashboard-pipelines.ts';
import type { ProviderRecord } from './dashboard-providers.ts';
import { type Found, searchQuery } from './dashboard-search.ts';
import {
  type NewSourceRecord,
  type RejectionGroupRecord,
  type RejectionRecord,
  type RotatedSourceRecord,
  rotateBody,
  type SourceRecord,
  sourceBody,
  sourceChange,
} from './dashboard-sources.ts';
import {
  destinationPreviewBody,
  destinationTestBody,
  type MessagePreview,
  type TestEventRecord,
  testEventBody,
  testEventChange,
} from './dashboard-test-events.ts';
import { type ViewRecord, viewBody, viewChange } from './dashboard-views.ts';
import {
  deleteQuery,
  type EntityGraphRecord,
  type EntityIdentityRecord,
  type EntityLinkRecord,
  type EntityRecord,
  entitiesBody,
  entitiesQuery,
  entityBody,
  entityEventsQuery,
  graphQuery,
  linksQuery,
  type ShownEntityEvent,
  type TimedEntityRecord,
  traitsBody,
} from './entity.ts';
import { defaultEventLimits } from './event.ts';
import { listQuery } from './paging.ts';
import { type ListAnswer, list, type OneAnswer, one, type PrivateCall, stream } from './private-call.ts';

/** What is left of something that was deleted. */
interface DeletedRecord {
  readonly id: string;
  readonly deleted: true;
}

/**
 * The private calls: every call below `/dashboard/api`, with what is sent and what is answered. The server registers
 * its handlers by these names and the dashboard calls by them; both have their types from here.
 */
export const privateCalls = {
  'GET /session': { answer: one<WhoAmI>() },
  'POST /session': { body: loginBody, answer: one<WhoAmI>() },
  'DELETE /session': { answer: one<{ readonly ended: true }>() },
  'PUT /session/organisation': { body: moveSessionBody, answer: one<WhoAmI>() },

  /** Of whoever asks, whatever their role. What could lock its owner out also asks for the password. */
  'GET /account': { answer: one<AccountRecord>() },
  'PATCH /account': { body: accountChange, answer: one<AccountRecord>() },
  'PUT /account/password': { body: passwordChange, answer: one<{ readonly changed: true }>() },
  'GET /account/sessions': { query: listQuery, answer: list<OwnSessionRecord>() },
  /** All but the one that asks. */
  'DELETE /account/sessions': { answer: one<{ readonly ended: true }>() },
  'DELETE /account/sessions/:id': { answer: one<DeletedRecord>() },
  'POST /account/second-factor/offer': { answer: one<SecondFactorOffer>() },
  'PUT /account/second-factor': { body: secondFactorBody, answer: one<RecoveryCodesRecord>() },
  'POST /account/second-factor/recovery-codes': { body: passwordProof, answer: one<RecoveryCodesRecord>() },
  'POST /account/second-factor/off': { body: passwordProof, answer: one<AccountRecord>() },

  'GET /setup': { answer: one<SetupRecord>() },
  'POST /setup': { body: setupBody, answer: one<WhoAmI>() },

  'GET /invitations/:code': { answer: one<InvitationRecord>() },
  'POST /invitations/:code': { body: acceptInvitationBody, answer: one<WhoAmI>() },

  'GET /members': { query: listQuery, answer: list<MemberRecord>() },
  'POST /members': { body: inviteBody, answer: one<NewInvitationRecord>() },
  'GET /members/:id': { answer: one<MemberRecord>() },
  'PATCH /members/:id': { body: memberChange, answer: one<MemberRecord>() },
  'DELETE /members/:id': { answer: one<DeletedRecord>() },

  'GET /organisations': { query: listQuery, answer: list<OrganisationRecord>() },
  'POST /organisations': { body: organisationBody, answer: one<OrganisationRecord>() },
  'GET /organisations/:id': { answer: one<OrganisationRecord>() },
  'PATCH /organisations/:id': { body: organisationChange, answer: one<OrganisationRecord>() },
  'DELETE /organisations/:id': { answer: one<DeletedRecord>() },

  /** In which organisation of whoever asks an event, a delivery or the like is. */
  'GET /whereabouts/:id': { answer: one<Whereabouts>() },

  'GET /keys': { query: listQuery, answer: list<KeyRecord>() },
  'POST /keys': { body: keyBody, answer: one<NewKeyRecord>() },
  'GET /keys/:id': { answer: one<KeyRecord>() },
  'PATCH /keys/:id': { body: keyChange, answer: one<KeyRecord>() },
  'DELETE /keys/:id': { answer: one<KeyRecord>() },

  'GET /sources': { query: listQuery, answer: list<SourceRecord>() },
  'POST /sources': { body: sourceBody, answer: one<NewSourceRecord>() },
  'GET /sources/:id': { answer: one<SourceRecord>() },
  'PATCH /sources/:id': { body: sourceChange, answer: one<NewSourceRecord>() },
  'DELETE /sources/:id': { answer: one<DeletedRecord>() },
  'POST /sources/:id/rotate': { body: rotateBody, bodyMayBeEmpty: true, answer: one<RotatedSourceRecord>() },
  'GET /kinds/providers': { answer: one<ProviderRecord[]>() },
  'GET /sources/:id/rejections': { query: listQuery, answer: list<RejectionRecord>() },
  'GET /sources/:id/rejections/groups': { answer: one<RejectionGroupRecord[]>() },

  'GET /alerts': { answer: one<AlertsRecord>() },

  'GET /kinds/steps': { answer: one<KindRecord[]>() },
  'GET /pipelines': { query: listQuery, answer: list<PipelineRecord>() },
  'POST /pipelines': { body: pipelineBody, answer: one<PipelineRecord>() },
  'GET /pipelines/:id': { answer: one<PipelineDetails>() },
  'PATCH /pipelines/:id': { body: pipelineChange, answer: one<PipelineRecord>() },
  'DELETE /pipelines/:id': { answer: one<DeletedRecord>() },
  'GET /pipelines/:id/versions': { query: listQuery, answer: list<PipelineVersionRecord>() },
  /** The note of one of its versions; an empty one removes it. */
  'POST /pipelines/:id/notes': { body: pipelineNote, answer: one<PipelineVersionRecord>() },
  'GET /pipelines/:id/figures': { query: figuresQuery, answer: one<PipelineFigures>() },
  'POST /pipelines/:id/rollback': { body: rollbackBody, answer: one<PipelineRecord>() },
  /** The server reads the event under the limits that it is set to. */
  'POST /pipelines/dry-run': { body: dryRunBody(defaultEventLimits), answer: one<DryRunRecord>() },
  /** Events that were saved to try things with; an organisation has few. */
  'GET /test-events': { answer: one<TestEventRecord[]>() },
  'POST /test-events': { body: testEventBody(defaultEventLimits), answer: one<TestEventRecord>() },
  'PATCH /test-events/:id': { body: testEventChange(defaultEventLimits), answer: one<TestEventRecord>() },
  'DELETE /test-events/:id': { answer: one<DeletedRecord>() },
  'POST /conditions/check': { body: conditionCheckBody, answer: one<ConditionCheck>() },

  'GET /kinds/destinations': { answer: one<KindRecord[]>() },
  'GET /destinations': { query: listQuery, answer: list<DestinationRecord>() },
  'POST /destinations': { body: destinationBody, answer: one<NewDestinationRecord>() },
  'POST /destinations/columns': { body: tableColumnsBody, answer: one<TableColumnsRecord>() },
  /** Nothing is sent, and no secret is asked for. */
  'POST /destinations/preview': {
    body: destinationPreviewBody(defaultEventLimits),
    answer: one<MessagePreview>(),
  },
  'GET /destinations/:id': { answer: one<DestinationRecord>() },
  'PATCH /destinations/:id': { body: destinationChange, answer: one<NewDestinationRecord>() },
  'DELETE /destinations/:id': { answer: one<DeletedRecord>() },
  'GET /destinations/:id/figures': { query: figuresQuery, answer: one<DestinationFigures>() },
  'POST /destinations/:id/pause': { answer: one<DestinationRecord>() },
  'POST /destinations/:id/resume': { answer: one<DestinationRecord>() },
  'POST /destinations/:id/rotate': {
    body: destinationRotation,
    bodyMayBeEmpty: true,
    answer: one<RotatedDestinationRecord>(),
  },
  'POST /destinations/:id/test': {
    body: destinationTestBody(defaultEventLimits),
    bodyMayBeEmpty: true,
    answer: one<DestinationTestRecord>(),
  },
  /** Sees whether one that is down is back: a delivery that is due there goes out now, or else a test. */
  'POST /destinations/:id/probe': { answer: one<DestinationProbeRecord>() },

  'GET /events': { query: eventsQuery, answer: list<EventSummary>() },
  /** How many match, and when they came in. */
  'GET /events/histogram': { query: histogramQuery, answer: one<EventHistogram>() },
  /** Those that came in lately, the most frequent first. */
  'GET /events/types': { answer: one<EventTypeRecord[]>() },
  /** Up to ten thousand events that match, as a file; more are a job. */
  'GET /events/export': { query: exportQuery, answer: stream },
  'POST /exports': { body: exportBody, answer: one<JobRecord>() },
  'GET /events/:id': { answer: one<EventRecord>() },
  'POST /events/:id/replay': { body: replayBody, bodyMayBeEmpty: true, answer: one<JobRecord>() },
  'POST /events/:id/discard': { answer: one<EventSummary>() },
  'POST /replays': { body: replaysBody, answer: one<JobRecord>() },

  'GET /jobs': { query: listQuery, answer: list<JobRecord>() },
  'GET /jobs/:id': { answer: one<JobRecord>() },
  'POST /jobs/:id/cancel': { answer: one<JobRecord>() },
  /** What an export wrote, for a day after it has ended. */
  'GET /jobs/:id/file': { answer: stream },

  /** One's own and those of the organisation. */
  'GET /views': { query: listQuery, answer: list<ViewRecord>() },
  'POST /views': { body: viewBody, answer: one<ViewRecord>() },
  'PATCH /views/:id': { body: viewChange, answer: one<ViewRecord>() },
  'DELETE /views/:id': { answer: one<DeletedRecord>() },

  'GET /deliveries': { query: deliveriesQuery, answer: list<DeliveryRecord>() },
  'GET /deliveries/count': { query: deliveryCountQuery, answer: one<CappedCountRecord>() },
  'GET /deliveries/:id': { answer: one<DeliveryRecord>() },
  'POST /deliveries/:id/retry': { answer: one<DeliveryRecord>() },
  'POST /deliveries/:id/discard': { answer: one<DeliveryRecord>() },

  'GET /dead-letters': { query: deadLettersQuery, answer: list<DeadLetter>() },
  'GET /dead-letters/summary': { query: deadLetterFilter, answer: one<DeadLetterSummary>() },
  'GET /dead-letters/export': { query: deadLetterFilter, answer: stream },
  'POST /dead-letters/retry': { body: retryDeadLetters, bodyMayBeEmpty: true, answer: one<JobRecord>() },
  'POST /dead-letters/discard': { body: discardDeadLetters, answer: one<JobRecord>() },

  /** The query may hold `trait.<path>` too, which has no name of its own. */
  'GET /entities': { query: entitiesQuery, answer: list<EntityRecord>() },
  'POST /entities': { body: entityBody.or(entitiesBody), answer: one<EntityRecord | EntityRecord[]>() },
  'GET /entities/:kind/:external_id': { answer: one<TimedEntityRecord>() },
  'PUT /entities/:kind/:external_id': { body: traitsBody, answer: one<EntityRecord>() },
  'PATCH /entities/:kind/:external_id': { body: traitsBody, answer: one<EntityRecord>() },
  'DELETE /entities/:kind/:external_id': {
    query: deleteQuery,
    answer: one<{ readonly deleted: true; readonly erased_events?: number }>(),
  },
  'GET /entities/:kind/:external_id/links': { query: linksQuery, answer: list<EntityLinkRecord>() },
  'PUT /entities/:kind/:external_id/links/:relation/:to_kind/:to_external_id': {
    answer: one<EntityLinkRecord>(),
  },
  'DELETE /entities/:kind/:external_id/links/:relation/:to_kind/:to_external_id': {
    answer: one<{ readonly deleted: true }>(),
  },
  'GET /entities/:kind/:external_id/graph': { query: graphQuery, answer: one<EntityGraphRecord>() },
  'GET /entities/:kind/:external_id/identity': { answer: one<EntityIdentityRecord>() },
  'GET /entities/:kind/:external_id/events': { query: entityEventsQuery, answer: list<ShownEntityEvent>() },

  /** Sources, destinations and pipelines as one YAML document, without their secrets. */
  'GET /configuration/file': { answer: one<ConfigurationFile>() },
  'POST /configuration/difference': {
    body: configurationDifferenceBody,
    answer: one<ConfigurationDifference>(),
  },
  /** All of it or nothing. */
  'POST /configuration/apply': { body: configurationApplyBody, answer: one<AppliedConfiguration>() },

  'GET /audit': { query: auditQuery, answer: list<AuditRecord>() },
  'GET /audit/export': { query: auditExportQuery, answer: stream },
  'GET /audit/actors': { answer: one<AuditActorRecord[]>() },
  'GET /audit/:id': { answer: one<AuditRecord>() },
  'GET /search': { query: searchQuery, answer: one<Found[]>() },
  'GET /counters': { query: countersQuery, answer: one<CountersRecord>() },
  /** All rows of a list at once. */
  'GET /figures/destinations': { query: listFiguresQuery, answer: one<DestinationListFigures>() },
  'GET /figures/sources': { query: listFiguresQuery, answer: one<SourceListFigures>() },
  'GET /figures/pipelines': { query: listFiguresQuery, answer: one<PipelineListFigures>() },
  'GET /badges': { answer: one<BadgesRecord>() },
  'GET /overview': { query: overviewQuery, answer: one<OverviewRecord>() },
  'GET /overview/top': { query: overviewQuery, answer: one<TopRecord>() },
  'GET /map': { query: overviewQuery, answer: one<MapRecord>() },
  'GET /health': { answer: one<HealthRecord>() },
  'GET /nodes': { answer: one<NodesRecord>() },

  /** Follows any of the calls that read: `call` names each by its path, as often as there are calls. */
  'GET /live': { answer: stream },
  'GET /live/events': { query: tailQuery, answer: stream },
} as const satisfies Readonly<Record<`${Method} /${string}`, PrivateCall>>;

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
type Table = typeof privateCalls;

/** A private call by its name: `GET /jobs/:id`. */
export type Route = keyof Table;

export type AnswerOf<R extends Route> = Table[R]['answer'];

/** What stands under `data` in its answer. */
export type DataOf<R extends Route> =
  AnswerOf<R> extends OneAnswer<infer Data>
    ? Data
    : AnswerOf<R> extends ListAnswer<infer Row>
      ? Row[]
      : never;

/** Calls that answer with a list, page by page. */
export type ListRoute = {
  [R in Route]: AnswerOf<R> extends ListAnswer<unknown> ? R : never;
}[Route];

export type RowOf<R extends ListRoute> = AnswerOf<R> extends ListAnswer<infer Row> ? Row : never;

/** Calls that read, and answer with JSON. */
export type ReadRoute = {
  [R in Route]: R extends `GET ${string}` ? (AnswerOf<R> extends { kind: 'stream' } ? never : R) : never;
}[Route];

/** Calls that change something. */
export type ChangeRoute = Exclude<Route, `GET ${string}`>;

export type QuerySchema<R extends Route> = Table[R] extends { query: infer Q extends z.ZodType } ? Q : never;
export type BodySchema<R extends Route> = Table[R] extends { body: infer B extends z.ZodType } ? B : never;
