import pino from 'pino';
import { scrub, withoutSecrets } from './redact.ts';

export type Logger = pino.Logger;

/** One JSON object a line on the standard output, or wherever a test listens. */
export const createLogger = (level: string, destination?: pino.DestinationStream): Logger => {
  const options: pino.LoggerOptions = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: {
      level: label => ({ level: label }),
      log: fields => withoutSecrets(fields) as Record<string, unknown>,
    },
    // Errors are read by `withoutSecrets`; pino would read them a second time.
    serializers: { err: error => error },
    hooks: { streamWrite: scrub },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
};
