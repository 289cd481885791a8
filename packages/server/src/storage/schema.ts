import type { Kysely } from 'kysely';

/**
 * The tables as both engines hold them. Only types that SQLite and PostgreSQL share are used: text, 64-bit
 * integers (times are epoch milliseconds, flags 0 or 1) and doubles; hashes are hex, sealed secrets base64.
 */
export interface Schema {
  settings: { name: string; value: string };
  organisations: {
    id: string;
    name: string;
    retention_days: number | null;
    searchable_traits: string;
    created_at: number;
  };
  users: { id: string; email: string; password_hash: string; created_at: number };
  memberships: { org_id: string; user_id: string; role: string; created_at: number };
  invitations: {
    id: string;
    org_id: string;
    email: string;
    role: string;
    code_hash: string;
    created_at: number;
    expires_at: number;
  };
  sessions: { token_hash: string; user_id: string; org_id: string; created_at: number; expires_at: number };
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
  };
  rejections: { source_id: string; org_id: string; at: number; n: number; code: string; message: string };
  audit: {
    id: string;
    org_id: string;
    at: number;
    actor: string;
    action: string;
    target: string;
    details: string;
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
  };
  idempotency_keys: {
    scope: string;
    key: string;
    org_id: string;
    body_hash: string | null;
    event_ids: string;
    expires_at: number;
  };
  nodes: { id: string; seen_at: number };
}

export type Db = Kysely<Schema>;
