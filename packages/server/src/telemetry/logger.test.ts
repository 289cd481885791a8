import { describe, expect, test } from 'bun:test';
import { newSecret } from '../core/secrets/vault.ts';
import { createLogger } from './logger.ts';

/** Logs and answers what was written. */
function logged(write: (logger: ReturnType<typeof createLogger>) => void, level = 'info'): string {
  const lines: string[] = [];
  write(createLogger(level, { write: line => void lines.push(line) }));
  return lines.join('');
}

const CANARY = 'canary-7f3a';

describe('a secret that is planted', () => {
  const names = [
    'secret',
    'sealedSecret',
    'password',
    'passwordHash',
    'token',
    'bot_token',
    'Authorization',
    'set-cookie',
    'api_key',
    'apiKey',
    'X-Ingest-Signature',
    'connection_string',
    'SLUICE_DATABASE_URL',
    'SLUICE_SECRET_KEY',
  ];
  for (const name of names) {
    test(`under the name ${name} stays out of the log, at any depth`, () => {
      const planted = { [name]: CANARY };
      const text = logged(logger => {
        logger.info(planted, 'at the top');
        logger.warn({ request: { headers: planted } }, 'nested');
        logger.error({ list: [{ a: { b: { c: planted } } }] }, 'in a list');
        logger
          .child({})
          .error({ err: Object.assign(new Error('failed'), { config: planted }) }, 'in an error');
        logger.info({ [name]: { inner: CANARY } }, 'as an object');
      });
      expect(text).not.toContain(CANARY);
      expect(text.match(/\[redacted\]/g)?.length).toBe(5);
    });
  }

  const looks: [string, string, string][] = [
    ['an API key', `key ${newSecret('sk')} refused`, 'refused'],
    ['a bearer header', `sent Authorization: Bearer ${CANARY}`, 'Bearer [redacted]'],
    ['a password in a URL', `cannot reach postgres://sluice:${CANARY}@db:5432/x`, 'db:5432/x'],
    ['the token of a webhook URL', `POST /whk/${CANARY} failed`, '/whk/[redacted] failed'],
  ];
  for (const [what, message, kept] of looks) {
    test(`as ${what} in a message stays out of the log, and the rest is kept`, () => {
      const text = logged(logger => {
        logger.info(message);
        logger.error({ err: new Error(message) }, 'failed');
        logger.error(new Error('outer', { cause: new Error(message) }));
      });
      expect(text).not.toContain(CANARY);
      expect(text).not.toMatch(/sk_[\w-]{20}/);
      expect(text).toContain(kept);
    });
  }
});

describe('a line of the log', () => {
  test('is one JSON object with time, level and message', () => {
    const line = JSON.parse(logged(logger => logger.warn({ endpoint: 'ingest', count: 3 }, 'slow')));
    expect(line).toMatchObject({ level: 'warn', endpoint: 'ingest', count: 3, msg: 'slow' });
    expect(Number.isNaN(Date.parse(line.time))).toBe(false);
  });

  test('writes the type, message and stack of an error, and what caused it', () => {
    const error = new TypeError('no such field', { cause: new Error('read too far') });
    const line = JSON.parse(logged(logger => logger.error({ err: error }, 'a route failed')));
    expect(line.err).toMatchObject({ type: 'TypeError', message: 'no such field' });
    expect(line.err.stack).toContain('logger.test.ts');
    expect(line.err.cause.message).toBe('read too far');
  });

  test('is bounded by depth, so that a structure that holds itself does not stop the log', () => {
    const ring: Record<string, unknown> = { name: 'ring' };
    ring.self = ring;
    expect(logged(logger => logger.info({ ring }, 'round'))).toContain('[deeper]');
  });

  test('is not written below its level, or at all when silent', () => {
    expect(logged(logger => logger.debug('chatter'))).toBe('');
    expect(logged(logger => logger.fatal('end'), 'silent')).toBe('');
  });
});
