/** Actions whose code is not what people call them; codes are stored, and never change. */
const labels: Readonly<Record<string, string>> = { 'invitation.withdrawn': 'Invitation revoked' };

/** As people read it: most codes speak for themselves. */
export const actionLabel = (action: string): string => labels[action] ?? action;
