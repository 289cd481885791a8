import pino from 'pino';

export type Logger = pino.Logger;

/** One JSON object a line. Anything that is named like a secret is left out, wherever it stands. */
const secretNames = [
  'secret',
  'password',
  'token',
  'authorization',
  'cookie',
  'api_key',
  'bot_token',
  'connection_string',
];

export const createLogger = (level: string): Logger =>
  pino({
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: label => ({ level: label }) },
    redact: {
      paths: secretNames.flatMap(name => [name, `*.${name}`, `*.*.${name}`, `*.*.*.${name}`]),
      censor: '[redacted]',
    },
  });
