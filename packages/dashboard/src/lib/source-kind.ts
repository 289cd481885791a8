import type { SourceRecord } from '@sluice/contract/dashboard-sources';

/** What people call a kind of source: the one that the API and the SDK send to is the API's. */
export const labelOfSourceKind = (kind: SourceRecord['kind']): string => (kind === 'sdk' ? 'API' : kind);
