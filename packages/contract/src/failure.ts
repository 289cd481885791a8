/** Why something did not arrive: a closed set. People filter deliveries by these words, so they are stable. */
export const failureCodes = [
  'timeout',
  'connection_refused',
  'connection_reset',
  'dns_failed',
  'tls_invalid',
  'address_not_allowed',
  'bad_status',
  'bad_response',
  'too_large',
  'rejected_by_destination',
  'destination_down',
] as const;
export type FailureCode = (typeof failureCodes)[number];
