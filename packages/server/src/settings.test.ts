import { describe, expect, test } from 'bun:test';
import { adviceOn, BadSetting, declarations, readSettings } from './settings.ts';

const SECRET_KEY = 'k'.repeat(32);

function complaint(environment: Record<string, string>): string {
  try {
    readSettings(environment);
  } catch (error) {
    expect(error).toBeInstanceOf(BadSetting);
    return (error as Error).message;
  }
  throw new Error(`Nothing was wrong with ${JSON.stringify(environment)}`);
}

describe('a bad setting', () => {
  const bad: Record<keyof typeof declarations, readonly string[]> = {
    SLUICE_PORT: ['http', '-1', '65536', '80.5', ' ', '1e9'],
    SLUICE_HOST: [],
    SLUICE_DATA_DIR: [],
    SLUICE_DATABASE_URL: ['mysql://db/x', 'postgres', 'db:5432'],
    SLUICE_REQUIRE_REPLICAS: ['-1', 'all', '1.5'],
    SLUICE_SECRET_KEY: ['short', 'k'.repeat(31)],
    SLUICE_SECRET_KEY_PREVIOUS: ['short', 'k'.repeat(31)],
    SLUICE_BASE_URL: ['sluice.example.com', 'ftp://x', '/'],
    SLUICE_DRAIN_SECONDS: ['-1', '5s', '3601'],
    SLUICE_TRUST_PROXY: ['maybe', '2'],
    SLUICE_ROLES: ['everything', 'ingest,proces', ','],
    SLUICE_ADMIN_EMAIL: ['somebody', 'a@'],
    SLUICE_ADMIN_PASSWORD: ['seven77'],
    SLUICE_ALLOW_ADDRESSES: ['10.0.0.0/33', 'localhost', '10.0.0.0/8,::1/129', '10.0.0.0/x'],
    SLUICE_ALLOW_HTTP: ['si'],
    SLUICE_DROP_HEADERS: ['x y', 'a,*b'],
    SLUICE_EGRESS_ADDRESSES: [],
    SLUICE_SENDING_THREADS: ['-1', '17', 'many'],
    SLUICE_RETENTION_DAYS: ['0', 'forever', '36501'],
    SLUICE_DEAD_LETTER_DAYS: ['-5'],
    SLUICE_MAX_BODY_BYTES: ['5MB', '10'],
    SLUICE_MAX_EVENT_BYTES: ['1k'],
    SLUICE_MAX_BATCH_EVENTS: ['0'],
    SLUICE_MAX_NESTING: ['0', '1001'],
    SLUICE_MAX_TYPE_LENGTH: ['0'],
    SLUICE_MAX_ICON_LENGTH: ['none'],
    SLUICE_MAX_IDEMPOTENCY_KEY_LENGTH: ['0'],
    SLUICE_MAX_ORGANISATIONS_PER_USER: ['0', 'many'],
    SLUICE_URL: ['sluice.example.com', 'ftp://x'],
    SLUICE_API_KEY: ['abc', 'whsec_x'],
    SLUICE_LISTEN_TOKEN: ['abc', 'sk_x'],
    SLUICE_EMAIL: ['somebody'],
    SLUICE_PASSWORD: ['seven77'],
    SLUICE_LOG_LEVEL: ['loud', 'INFO'],
  };
  for (const [name, values] of Object.entries(bad)) {
    for (const value of values) {
      test(`${name}=${value} is refused in one line that names it`, () => {
        const line = complaint({ [name]: value });
        expect(line).toStartWith(`${name} must `);
        expect(line).not.toContain('\n');
      });
    }
  }

  test('is never quoted where it is a secret', () => {
    for (const [name, { secret }] of Object.entries(declarations) as [string, { secret?: true }][]) {
      if (!secret) continue;
      expect(complaint({ [name]: 'canary' })).not.toContain('canary');
    }
  });

  test('that is misspelt is refused, and not left aside', () => {
    expect(complaint({ SLUICE_PROT: '80' })).toBe('SLUICE_PROT is not a setting of Sluice. Is it misspelt?');
  });
});

describe('settings that belong together', () => {
  test('a database that nodes share needs a key that nodes share', () => {
    const url = 'postgres://sluice@db/sluice';
    expect(complaint({ SLUICE_DATABASE_URL: url })).toContain('SLUICE_SECRET_KEY');
    expect(
      readSettings({ SLUICE_DATABASE_URL: url, SLUICE_SECRET_KEY: SECRET_KEY }).SLUICE_DATABASE_URL,
    ).toBe(url);
  });

  test('a database on several hosts', () => {
    const several = 'postgres://sluice:a%2Cb@one,two:5433,three/sluice';
    const read = readSettings({
      SLUICE_DATABASE_URL: several,
      SLUICE_SECRET_KEY: SECRET_KEY,
      SLUICE_REQUIRE_REPLICAS: '1',
    });
    expect(read.SLUICE_DATABASE_URL).toBe(several);
    expect(complaint({ SLUICE_REQUIRE_REPLICAS: '1' })).toContain('only with SLUICE_DATABASE_URL');
  });

  test('the key before is another key', () => {
    const environment = { SLUICE_SECRET_KEY: SECRET_KEY, SLUICE_SECRET_KEY_PREVIOUS: SECRET_KEY };
    expect(complaint(environment)).toContain('SLUICE_SECRET_KEY_PREVIOUS must be another key');
  });

  test('an administrator needs both an email and a password', () => {
    expect(complaint({ SLUICE_ADMIN_EMAIL: 'a@example.com' })).toContain('SLUICE_ADMIN_PASSWORD');
    expect(complaint({ SLUICE_ADMIN_PASSWORD: 'long enough' })).toContain('SLUICE_ADMIN_EMAIL');
  });
});

describe('settings', () => {
  test('have their defaults where nothing is given, or an empty text', () => {
    for (const environment of [{}, { SLUICE_PORT: '', SLUICE_ROLES: '' }]) {
      expect(readSettings(environment)).toMatchObject({
        SLUICE_PORT: 8080,
        SLUICE_DATA_DIR: './data',
        SLUICE_ROLES: ['ingest', 'process', 'deliver', 'dashboard'],
        SLUICE_RETENTION_DAYS: 30,
        SLUICE_MAX_BODY_BYTES: 5_242_880,
        SLUICE_TRUST_PROXY: false,
      });
    }
  });

  test('are read into their types', () => {
    expect(
      readSettings({
        SLUICE_PORT: '0',
        SLUICE_TRUST_PROXY: 'YES',
        SLUICE_ROLES: 'ingest, dashboard',
        SLUICE_BASE_URL: 'https://sluice.example.com/',
        SLUICE_ALLOW_ADDRESSES: '10.0.0.0/8, ::1/128,192.168.1.1',
        SLUICE_ADMIN_EMAIL: 'Ada@Example.com',
        SLUICE_ADMIN_PASSWORD: 'long enough',
      }),
    ).toMatchObject({
      SLUICE_PORT: 0,
      SLUICE_TRUST_PROXY: true,
      SLUICE_ROLES: ['ingest', 'dashboard'],
      SLUICE_BASE_URL: 'https://sluice.example.com',
      SLUICE_ALLOW_ADDRESSES: ['10.0.0.0/8', '::1/128', '192.168.1.1'],
      SLUICE_ADMIN_EMAIL: 'ada@example.com',
    });
  });

  test('of other programs, and of the tests, are no concern of theirs', () => {
    expect(() => readSettings({ PATH: '/bin', SLUICE_TEST_DATABASE_URL: 'x' })).not.toThrow();
  });

  test('that Kubernetes makes for a service called sluice are no concern of theirs', () => {
    const links = {
      SLUICE_SERVICE_HOST: '10.96.12.7',
      SLUICE_SERVICE_PORT: '8080',
      SLUICE_SERVICE_PORT_HTTP: '8080',
      SLUICE_PORT: 'tcp://10.96.12.7:8080',
      SLUICE_PORT_8080_TCP: 'tcp://10.96.12.7:8080',
      SLUICE_PORT_8080_TCP_PROTO: 'tcp',
      SLUICE_PORT_8080_TCP_PORT: '8080',
      SLUICE_PORT_8080_TCP_ADDR: '10.96.12.7',
    };
    expect(readSettings(links)).toEqual(readSettings({}));
  });

  test('that only look like those of Kubernetes are still looked at', () => {
    for (const name of [
      'SLUICE_SERVICE',
      'SLUICE_SERVICE_HOSTS',
      'SLUICE_PORT_HTTP',
      'SLUICE_PORT_80_TCPX',
    ]) {
      expect(complaint({ [name]: '1' })).toBe(`${name} is not a setting of Sluice. Is it misspelt?`);
    }
    expect(complaint({ SLUICE_PORT: 'http://10.0.0.1:80' })).toStartWith('SLUICE_PORT must ');
  });

  test('each say what they mean', () => {
    for (const { meaning } of Object.values(declarations)) expect(meaning).toMatch(/\.$/);
  });
});

test('an address behind a proxy that is not trusted is pointed out', () => {
  const adviceFor = (environment: Record<string, string>) => adviceOn(readSettings(environment));
  const https = { SLUICE_BASE_URL: 'https://sluice.example.com' };
  expect(adviceFor(https)).toEqual([expect.stringContaining('SLUICE_TRUST_PROXY=true')]);
  expect(adviceFor({ ...https, SLUICE_TRUST_PROXY: 'true' })).toEqual([]);
  expect(adviceFor({ SLUICE_BASE_URL: 'http://sluice.internal:8080' })).toEqual([]);
  expect(adviceFor({})).toEqual([]);
});
