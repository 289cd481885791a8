import type { PipelineStage } from '../pipeline/stage.ts';
import type { DeliveryPart } from './delivery.ts';
import type { EndpointsPart } from './endpoints.ts';
import type { Nodes } from './nodes.ts';
import type { TelemetryPart } from './telemetry.ts';

/** The parts that an event travels through, for the two beside its way: the web, which shows them, and upkeep. */
export interface Parts {
  readonly telemetry: TelemetryPart;
  readonly endpoints: EndpointsPart;
  readonly pipelines: PipelineStage;
  readonly delivery: DeliveryPart;
  readonly nodes: Nodes;
}
