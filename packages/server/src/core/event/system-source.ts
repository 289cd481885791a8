/**
 * The source of an organisation's system events. It is made with the organisation and has that one's name after another
 * prefix, so that whoever raises an event need not look it up, and so that there is never a second one.
 */
export const systemSourceId = (orgId: string): string => `src_${orgId.slice(orgId.indexOf('_') + 1)}`;

export const SYSTEM_SOURCE_NAME = 'System';
