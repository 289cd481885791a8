import type { JsonObject } from '../core/json/json.ts';
import { readConfig } from '../core/kinds/kind.ts';
import type { Destination, DestinationDeps, DestinationKind } from './destination.ts';
import { strikeSecrets } from './strike-secrets.ts';

/** A destination that is ready to send, of a configuration whose secrets are open. None of them is in its results. */
export const prepareDestination = (
  kind: DestinationKind,
  config: JsonObject,
  deps: DestinationDeps,
): Destination => strikeSecrets(kind.prepare(readConfig(kind, config, 'config'), deps), kind, config);
