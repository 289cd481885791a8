/** Why something did not arrive: the words that deliveries can be narrowed by. */
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
