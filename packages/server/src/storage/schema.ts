import type { Kysely } from 'kysely';

/**
 * The tables as both engines hold them. Only types that SQLite and PostgreSQL share are used: text, 64-bit
 * integers (times are epoch milliseconds, flags 0 or 1) and doubles; hashes are hex, sealed secrets base64.
 */
export interface Schema extends Views {
  settings: { name: string; value: string };
  organisations: {
    id: string;
    name: string;
    retention_days: number | null;
    searchable_traits: string;
    created_at: number;
    /** Null until the first start of this version, where it is from before. */
    slug: string | null;
  };
  /** `emptied_at`: when nothing of it was left. */
  deleted_organisations: { org_id: string; deleted_at: number; scopes: string; emptied_at: number | null };
  users: {
    id: string;
    email: string;
    password_hash: string;
    created_at: number;
    last_org_id: string | null;
    time_zone: string;
    clock: string;
  };
  memberships: {
    org_id: string;
    user_id: string;
    role: string;
    created_at: number;
    last_login_at: number | null;
  };
  invitations: {
    id: string;
    org_id: string;
    email: string;
    role: string;
    code_hash: string;
    created_at: number;
    expires_at: number;
    invited_by: string | null;
  };
  /** The last three are null in sessions of the first edition. */
  sessions: {
    token_hash: string;
    user_id: string;
    org_id: string;
    created_at: number;
    expires_at: number;
    last_used_at: number | null;
    address: string | null;
    user_agent: string | null;
  };
  second_factors: { user_id: string; sealed_secret: string; last_step: number; created_at: number };
  recovery_codes: { user_id: string; code_hash: string };
  api_keys: {
    id: string;
    org_id: string;
    name: string;
    prefix: string;
    hash: string;
    created_at: number;
    last_used_at: number | null;
    revoked_at: number | null;
  };
  sources: {
    id: string;
    org_id: string;
    kind: string;
    name: string;
    enabled: number;
    match: string | null;
    token_hash: string | null;
    sealed_token: string | null;
    auth: string | null;
    sealed_secret: string | null;
    previous_sealed_secret: string | null;
    previous_secret_until: number | null;
    rate_per_second: number | null;
    rate_burst: number | null;
    created_at: number;
    updated_at: number;
    last_event_at: number | null;
    provider: string | null;
    /** JSON: see `ProviderOptions`. */
    provider_options: string | null;
    /** JSON: see `TypeFrom`. */
    type_from: string | null;
    sealed_verify_token: string | null;
    expect_every_minutes: number | null;
  };
  /** The last two are null in rejections of earlier versions. */
  rejections: {
    source_id: string;
    org_id: string;
    at: number;
    n: number;
    code: string;
    message: string;
    /** Empty where it is not known. */
    address: string;
    /** JSON: the headers that are safe to keep; empty where there are none. */
    headers: string;
  };
  audit: {
    id: string;
    org_id: string;
    at: number;
    actor: string;
    action: string;
    target: string;
    details: string;
    address: string | null;
  };
  events: {
    id: string;
    org_id: string;
    source_id: string | null;
    state: string;
    type: string;
    icon: string | null;
    sender_id: string | null;
    entity_kind: string | null;
    entity_external_id: string | null;
    happened_at: number;
    received_at: number;
    payload: string;
    /** JSON: the sdk sources that matched when it was processed. */
    matched_sources: string | null;
    /** When its payload was erased on request; what stands there since is a tombstone. */
    erased_at: number | null;
    /** Under which the node that accepted it works on it, where its state is 'claimed'. */
    claim_token: string | null;
    /** JSON: the headers that a webhook came with. */
    headers: string | null;
  };
  idempotency_keys: {
    scope: string;
    key: string;
    org_id: string;
    body_hash: string | null;
    event_ids: string;
    expires_at: number;
  };
  pipelines: {
    id: string;
    org_id: string;
    name: string;
    enabled: number;
    version: number;
    created_at: number;
    updated_at: number;
  };
  pipeline_versions: {
    org_id: string;
    pipeline_id: string;
    version: number;
    definition: string;
    created_by: string;
    created_at: number;
    /** When it was noticed that its pipeline is gone. */
    gone_at: number | null;
    note: string | null;
  };
  destinations: {
    id: string;
    org_id: string;
    kind: string;
    name: string;
    config: string;
    policy: string;
    paused: number;
    /** JSON text: what was changed while something waited that keeps it. */
    former_policies: string;
    breaker_opened_at: number | null;
    next_probe_at: number | null;
    /** Until when somebody has the probe that is under way. */
    probe_until: number | null;
    /** What they have taken it with. */
    probe_token: string | null;
    /** When the last probe that failed had left, and when it was answered. */
    last_probe_at: number | null;
    probe_ended_at: number | null;
    last_failure: string | null;
    /** Of the last attempt that failed, in a sentence. */
    last_error: string | null;
    last_error_at: number | null;
    /** The connection of its listener, by the token of the node that holds it. */
    listener_token: string | null;
    created_at: number;
    updated_at: number;
  };
  event_claims: {
    org_id: string;
    event_id: string;
    job_id: string;
    /** Empty: whoever had it is dead, and the event is a suspect. */
    token: string;
    tries: number;
    plan: string | null;
  };
  parked_events: { org_id: string; event_id: string; job_id: string; due_at: number; plan: string | null };
  runs: {
    id: string;
    org_id: string;
    event_id: string;
    pipeline_id: string;
    pipeline_name: string;
    version: number;
    source_name: string | null;
    outcome: string;
    failed_step: number | null;
    reason: string | null;
    /** Payload and labels as the last step left them; empty where nothing is delivered. */
    output: string;
    trace: string;
    notes: string | null;
    /** Empty: the first time. */
    replay_job_id: string;
    created_at: number;
    /** 0: a failure is open. 1: a later run resolved it. 2: somebody discarded it. */
    mended: number;
  };
  dedupe_keys: { org_id: string; scope: string; key: string; event_id: string; expires_at: number };
  labels: {
    org_id: string;
    key: string;
    label: string | null;
    lease_until: number;
    /** Of whoever is finding it out. */
    lease_token: string;
    hits: number;
    used_at: number;
  };
  tallies: { org_id: string; pipeline_id: string; tally: string; count: number };
  deliveries: {
    id: string;
    org_id: string;
    event_id: string;
    run_id: string;
    pipeline_id: string;
    pipeline_name: string;
    destination_id: string;
    destination_name: string;
    destination_kind: string;
    state: string;
    attempt: number;
    budget_from: number;
    /** Since when the present budget runs, where that is not since it was made. */
    budget_at: number | null;
    due_at: number;
    /** When it was due, where a failed probe has put it at the end of the queue, or somebody at its beginning. */
    waiting_from: number | null;
    lease_token: string | null;
    code: string | null;
    created_at: number;
    finished_at: number | null;
    /** The delivery that a replay made in place of this one. */
    replayed_by: string | null;
    /** Of one that an outage ended: since when its destination was down, and when it was probed last. */
    down_since: number | null;
    probed_at: number | null;
    /** The run that made it, where it made no other; all null where that is kept in `runs`. */
    run_version: number | null;
    run_source_name: string | null;
    run_job_id: string | null;
    run_output: string | null;
    run_trace: string | null;
    /** The attempt that delivered it, where that was the first; all null where attempts are kept in `attempts`. */
    attempt_ms: number | null;
    /** Also the last one that failed, where it is dead or retrying. */
    attempt_status: number | null;
    attempt_request: string | null;
    attempt_response: string | null;
  };
  attempts: {
    org_id: string;
    delivery_id: string;
    n: number;
    at: number;
    duration_ms: number;
    status: number | null;
    code: string | null;
    message: string | null;
    request: string;
    response: string;
    /** 1: it was none of its delivery's budget. */
    is_probe: number;
    /** JSON: see `Exchange`; null where it was delivered. */
    exchange: string | null;
  };
  jobs: {
    id: string;
    org_id: string;
    kind: string;
    state: string;
    request: string;
    total: number;
    done: number;
    failed: number;
    position: string | null;
    notes: string;
    lease_until: number;
    lease_token: string;
    created_by: string;
    created_at: number;
    finished_at: number | null;
    /** 1: an event has told of its end, or none is to. */
    announced: number;
    /** 1: nobody can read its file any more, though pieces of it may be left. */
    file_gone: number;
  };
  /** The file of an export, in pieces from 0 on. */
  export_chunks: { org_id: string; job_id: string; n: number; bytes: number; body: string };
  /** JSON: filters and columns. Without a user it is the organisation's. */
  saved_views: {
    id: string;
    org_id: string;
    user_id: string | null;
    name: string;
    filters: string;
    columns: string;
    created_at: number;
    updated_at: number;
  };
  /** `event`: JSON, as it would be sent. */
  test_events: {
    id: string;
    org_id: string;
    name: string;
    event: string;
    created_by: string;
    created_at: number;
    updated_at: number;
  };
  /** When it was last heard of, by the clock of the database; `roles` as in the setting: `ingest,deliver`. */
  nodes: {
    id: string;
    seen_at: number;
    roles: string;
    version: string;
    host: string;
    joined_at: number;
    accepted_rate: number;
    processed_rate: number;
    delivered_rate: number;
  };
  /** What dead nodes had counted and not written, until it is counted again: see migration 0029. */
  lost_counts: {
    node_id: string;
    seen_at: number;
    buried_at: number;
    from_at: number | null;
    to_at: number | null;
    after_org: string;
  };
  /** A subject without a name stands for the type: when an event of it was last raised. */
  alerts: {
    org_id: string;
    type: string;
    subject: string;
    since: number;
    /** Null: its event is still to be raised. */
    raised_at: number | null;
    /** Null: it is still so. */
    recovered_at: number | null;
    /** JSON: see `AlertDetails`. */
    details: string;
  };
  counters: { org_id: string; subject: string; name: string; span: number; at: number; amount: number };
  entities: {
    id: string;
    org_id: string;
    kind: string;
    external_id: string;
    traits: string;
    /** JSON: for each top-level trait when it was last written, as in `changed`. */
    trait_times: string;
    version: number;
    created_at: number;
    /** Microseconds, of which the last three digits tell changes of one millisecond apart. */
    changed: number;
    /** Names the set of searchable traits under which `entity_traits` holds it; empty: none. */
    indexed_as: string;
  };
  /** Follows from the rows of `entities`, whoever changes one of those changes this with it. */
  entity_traits: {
    org_id: string;
    trait: string;
    value: string;
    kind: string;
    changed: number;
    entity_id: string;
  };
  entity_links: { org_id: string; from_id: string; relation: string; to_id: string; created_at: number };
}

/** Views, which are only read: those that have rows of their own, and those that are kept in rows of deliveries. */
interface Views {
  all_runs: Schema['runs'];
  all_attempts: Schema['attempts'];
}

export type Db = Kysely<Schema>;
