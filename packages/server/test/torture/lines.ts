/**
 * What is written down during a run, a line of JSON each, before anybody acts on it. Times are milliseconds since the
 * run began, on one clock that no fault moves. The invariants are checked against these lines and nothing else.
 */

/** One event as its sender composed it. */
export interface SentEvent {
  /** Of this event alone: it names the organisation, the request and the place in its batch. */
  readonly type: string;
  /** What `dedupe` looks at; two events of a batch may share it. */
  readonly payloadId: string;
  /** The destination that it is meant for, by name. */
  readonly route: string;
  /** Whether the pipeline's filter lets it through. */
  readonly passes: boolean;
  /** The person that it belongs to, who may ask to be erased. */
  readonly person: string | null;
}

/** Why there is no answer: nobody listened, the connection ended first, or nothing came in time. */
export type Lack = 'refused' | 'reset' | 'out of time';

/** What a node answered to one request, or that it did not. */
export interface AnswerLine {
  /** When it was sent, and when it was answered or given up. */
  readonly sentAt: number;
  readonly at: number;
  readonly node: number;
  /** Which life of that node it was, or the one before, where none had begun. */
  readonly life: number;
  /** Null: no answer, or one that was cut off. */
  readonly status: number | null;
  readonly lack: Lack | null;
  readonly retryAfter: string | null;
  /** The body of what was neither a yes nor no answer at all. */
  readonly error: string | null;
}

export type SenderLine =
  | {
      readonly kind: 'sent';
      readonly at: number;
      readonly request: number;
      readonly organisation: string;
      readonly endpoint: 'ingest' | 'webhook';
      readonly key: string | null;
      /** Has a key or ids, and so may be sent again. */
      readonly isRepeatable: boolean;
      /** What is not must be refused. */
      readonly isValid: boolean;
      readonly events: readonly SentEvent[];
    }
  | (AnswerLine & {
      readonly kind: 'answered';
      readonly request: number;
      readonly events: readonly { readonly id: string; readonly duplicate: boolean }[];
    });

/** What somebody at the dashboard was answered. */
export type OperatorLine = AnswerLine & { readonly method: string; readonly path: string };

/** A life of a node: when it began, what was done to it, and how it ended. */
export interface LifeLine {
  readonly node: number;
  readonly life: number;
  /** When its process was started, when it said that it serves (null: it never did), and when it was gone. */
  readonly startedAt: number;
  readonly readyAt: number | null;
  readonly at: number;
  /** What the run sent it. */
  readonly signals: readonly { readonly at: number; readonly signal: string }[];
  /** The file of its system calls that were tampered with; null where none was to be. */
  readonly trace: string | null;
  /** Its exit code, or the signal that ended it. */
  readonly end: number | string;
  /** Its last line on the standard error. */
  readonly said: string;
}

/** A request as a receiver got it, with what it answered. */
export interface ReceiverLine {
  readonly at: number;
  /** Whose it is, and which. */
  readonly organisation: string;
  readonly receiver: string;
  readonly event: string;
  /** Null where the protocol does not carry it. */
  readonly delivery: string | null;
  readonly attempt: number | null;
  readonly signature: string | null;
  readonly body: string;
  readonly behaviour: string;
  /** The status that it answered with; null where it answered nothing. */
  readonly status: number | null;
  /** Whether it took the event, as it would say itself. */
  readonly took: boolean;
}

/** What the model was asked about, and the label that it gave; null where its answer was none. */
export interface ModelLine {
  readonly at: number;
  readonly payloadId: string;
  readonly label: string | null;
}

/** What a person did at the dashboard or by a public call, once it was answered. */
export interface PeopleLine {
  readonly askedAt: number;
  /** When it was answered. */
  readonly at: number;
  readonly organisation: string;
  readonly what:
    | 'pause'
    | 'resume'
    | 'delete-destination'
    | 'discard'
    /** It was asked for, and the answer leaves open whether an earlier request, whose answer was lost, did it. */
    | 'discard-unclear'
    | 'retry'
    | 'erase'
    | 'edit-pipeline'
    | 'delete-organisation';
  /** The destination, delivery, person, pipeline or organisation. */
  readonly id: string;
}

/** A fault, from when to when. */
export interface FaultLine {
  readonly at: number;
  readonly until: number;
  readonly kind: string;
  /** Whether anybody met it: nothing may have been written to a disk while it was full. */
  readonly met: boolean;
  readonly detail: string;
  /** That of the life that it was done to, where it is one for the system calls of a node. */
  readonly trace?: string;
}

/** A state that a delivery was seen in during the run. */
export interface SeenLine {
  /** When somebody asked, and when that was answered. */
  readonly askedAt: number;
  readonly at: number;
  readonly organisation: string;
  readonly delivery: string;
  readonly state: string;
}

/** An event that was seen as failed during the run. */
export interface FailedLine {
  readonly at: number;
  readonly event: string;
}

/** An organisation as it was set up. */
export interface SetUpLine {
  readonly organisation: string;
  readonly id: string;
  readonly destinations: readonly {
    readonly id: string;
    readonly name: string;
    readonly kind: string;
    readonly attempts: number;
    readonly secret: string | null;
  }[];
}

export interface FinalAttempt {
  readonly n: number;
  readonly status: number | null;
  readonly code: string | null;
  readonly body: string;
  /** Whether the bodies are shown shorter than they are kept. */
  readonly cut: boolean;
}

export interface FinalDelivery {
  readonly id: string;
  readonly destination: string;
  readonly run: string;
  readonly state: string;
  readonly code: string | null;
  readonly isOutage: boolean;
  readonly attempts: readonly FinalAttempt[];
}

export interface FinalRun {
  readonly id: string;
  readonly pipeline: string;
  readonly version: number;
  readonly outcome: string;
  readonly step: number | null;
  readonly reason: string | null;
  /** As its last step left it; undefined where there was no step, or its trace was cut. */
  readonly output?: unknown;
}

/** What the dashboard answers after the last restart, when nothing is left to do. */
export type FinalLine =
  | {
      readonly kind: 'event';
      readonly organisation: string;
      readonly id: string;
      readonly type: string;
      readonly state: string;
      readonly isErased: boolean;
      readonly payload: string;
      readonly runs: readonly FinalRun[];
      readonly deliveries: readonly FinalDelivery[];
    }
  | {
      readonly kind: 'figures';
      readonly organisation: string;
      /** How many each list holds, by its query, and what the dashboard's own figures say, by name. */
      readonly lists: Readonly<Record<string, number>>;
      readonly figures: Readonly<Record<string, number>>;
    }
  /** A version of the main pipeline, and the number that its transform puts into the payload. */
  | {
      readonly kind: 'version';
      readonly organisation: string;
      readonly pipeline: string;
      readonly version: number;
      readonly revision: number;
    }
  /** What waits although it should not, after as long as anybody waited. */
  | {
      readonly kind: 'backlog';
      readonly organisation: string;
      readonly waiting: Readonly<Record<string, number>>;
    };

/** A secret, and where it was looked for. */
export interface SecretLine {
  readonly name: string;
  /** Places in which it stood in the clear. */
  readonly foundIn: readonly string[];
  readonly lookedIn: readonly string[];
}

/** Everything that was written down. */
export interface Logs {
  readonly senders: readonly SenderLine[];
  readonly operators: readonly OperatorLine[];
  readonly lives: readonly LifeLine[];
  readonly receivers: readonly ReceiverLine[];
  readonly model: readonly ModelLine[];
  readonly people: readonly PeopleLine[];
  readonly faults: readonly FaultLine[];
  readonly seen: readonly SeenLine[];
  readonly failed: readonly FailedLine[];
  readonly setUp: readonly SetUpLine[];
  readonly final: readonly FinalLine[];
  readonly secrets: readonly SecretLine[];
  /** Connections to an address that nothing may connect to. */
  readonly trapped: readonly { readonly at: number; readonly from: string }[];
}
