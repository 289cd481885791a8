/**
 * Events, dead letters and the audit log as a file, as a job. Each is a kind of its own: a node of an earlier version,
 * which knows only events, leaves the others to those that know them. Names only, because storage imports them: its threads start in
 * half the time without schemas.
 */
export const EXPORT_JOB = 'events.export';
export const LETTERS_EXPORT_JOB = 'dead_letters.export';
export const AUDIT_EXPORT_JOB = 'audit.export';

export const exportJobs = [EXPORT_JOB, LETTERS_EXPORT_JOB, AUDIT_EXPORT_JOB] as const;
