import type { Logs } from '../lines.ts';
import { acceptedIsThere } from './accepted.ts';
import { nobodyIsTrapped } from './addresses.ts';
import { whoeverIsUpAnswers } from './answers.ts';
import { attemptsCountUp } from './attempts.ts';
import { allOrNone } from './batches.ts';
import { bytesAreRecorded } from './bytes.ts';
import { deadAfterSchedule } from './dead-letters.ts';
import { deliveredWasTaken } from './delivered.ts';
import { backlogDrains } from './drained.ts';
import { everythingEnds } from './endings.ts';
import { nodesEndAsTold } from './ends.ts';
import { gatherEvidence, type Invariant } from './evidence.ts';
import { figuresAgree } from './figures.ts';
import { endsStay } from './final-states.ts';
import { oneKeyOneEvent } from './keys.ts';
import { labelsAreGiven } from './labels.ts';
import { refusedIsAbsent } from './refused.ts';
import { secretsStaySecret } from './secrets.ts';
import { tenantsAreApart } from './tenants.ts';
import { versionsAreSeen } from './versions.ts';
import { withdrawnIsNotSent } from './withdrawn.ts';

/** Every promise that a run is held to. */
export const invariants: readonly Invariant[] = [
  acceptedIsThere,
  refusedIsAbsent,
  oneKeyOneEvent,
  allOrNone,
  everythingEnds,
  deliveredWasTaken,
  bytesAreRecorded,
  attemptsCountUp,
  deadAfterSchedule,
  tenantsAreApart,
  withdrawnIsNotSent,
  nobodyIsTrapped,
  endsStay,
  backlogDrains,
  secretsStaySecret,
  figuresAgree,
  labelsAreGiven,
  versionsAreSeen,
  whoeverIsUpAnswers,
  nodesEndAsTold,
];

export interface Verdict {
  readonly name: string;
  readonly promise: string;
  readonly broken: readonly string[];
}

export function judge(logs: Logs): Verdict[] {
  const evidence = gatherEvidence(logs);
  return invariants.map(({ name, promise, broken }) => ({
    name,
    promise,
    broken: [...new Set(broken(evidence))],
  }));
}
