/** The output of a run that has left the event as it came, as the text that is sent on. */
export const outputOf = (payload: string): string => `{"payload":${payload},"labels":{}}`;
