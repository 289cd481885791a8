import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { startTestService, type TestService } from '../support/service.ts';

const folder = join(import.meta.dir, '../../../../deploy/monitoring');
const read = (file: string) => readFileSync(join(folder, file), 'utf8');

const rules = z.object({
  groups: z.array(
    z.object({
      rules: z.array(
        z.strictObject({
          alert: z.string(),
          expr: z.string(),
          for: z.string().optional(),
          labels: z.strictObject({ severity: z.enum(['page', 'ticket']) }),
          annotations: z.strictObject({ summary: z.string(), action: z.string() }),
        }),
      ),
    }),
  ),
});
const dashboard = z.object({
  panels: z.array(z.object({ id: z.number(), targets: z.array(z.object({ expr: z.string() })) })),
});
const alerts = () => rules.parse(Bun.YAML.parse(read('alerts.yaml'))).groups.flatMap(group => group.rules);
const panels = () => dashboard.parse(JSON.parse(read('grafana.json'))).panels;

test('every alert tells what it means and what to do, and is held to cases of its own', () => {
  const cases = read('alerts.test.yaml');
  expect(
    alerts()
      .map(({ alert }) => alert)
      .filter(alert => !cases.includes(alert)),
  ).toEqual([]);
});

for (const [what, args] of [
  ['the alert rules are valid', ['check', 'rules', 'alerts.yaml']],
  ['the alerts are raised where they should be, and nowhere else', ['test', 'rules', 'alerts.test.yaml']],
  ['the configuration of Prometheus is valid', ['check', 'config', 'prometheus.yaml']],
] as const) {
  test(what, () => {
    const { status, stdout, stderr } = spawnSync('promtool', args, { cwd: folder, encoding: 'utf8' });
    expect(status, `${stdout}${stderr}`).toBe(0);
  });
}

test('the panels of the Grafana dashboard are told apart by their ids', () => {
  const ids = panels().map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
});

describe('against a running service', () => {
  let service: TestService;
  let metrics: string;
  beforeAll(async () => {
    service = await startTestService();
    // A series with labels is there once it has counted something.
    await fetch(`${service.url}/v1/ingest`, { method: 'POST' });
    metrics = await (await fetch(`${service.url}/metrics`)).text();
  });
  afterAll(() => service.stop());

  const names = () => new Set([...metrics.matchAll(/^# TYPE (\w+) /gm)].map(([, name = '']) => name));
  const named = (expression: string): string[] =>
    [...expression.matchAll(/\b(?:sluice|process|nodejs)_\w+/g)].map(([name]) =>
      name.replace(/_(bucket|sum|count)$/, ''),
    );

  test('every metric that an alert or a panel asks for is there', () => {
    const asked = [
      ...alerts().map(({ expr }) => expr),
      ...panels().flatMap(({ targets }) => targets.map(({ expr }) => expr)),
    ].flatMap(named);
    expect(asked.length).toBeGreaterThan(20);
    expect(asked.filter(name => !names().has(name))).toEqual([]);
  });

  test('every label that they select or group by is one of that metric', () => {
    const labels = new Map<string, Set<string>>();
    for (const [, name = '', text = ''] of metrics.matchAll(/^(sluice_\w+?)(?:_bucket)?\{(.*)\} /gm)) {
      const own = labels.get(name) ?? new Set();
      for (const [, label = ''] of text.matchAll(/(\w+)="/g)) own.add(label);
      labels.set(name, own);
    }
    // What Prometheus adds by itself; "result" has no series before the first attempt.
    const added = ['job', 'instance', 'result'];
    const expressions = [
      ...alerts().map(({ expr }) => expr),
      ...panels().flatMap(({ targets }) => targets.map(({ expr }) => expr)),
    ];
    const wrong = expressions.flatMap(expression => {
      const own = named(expression).flatMap(name => [...(labels.get(name) ?? [])]);
      const used = [
        ...[...expression.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"/g)].map(([, label = '']) => label),
        ...[...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/,\s*/)),
      ];
      return used
        .filter(label => !own.includes(label) && !added.includes(label))
        .map(label => `${label} in ${expression}`);
    });
    expect(wrong).toEqual([]);
  });

  test('every value of a label that they select is one that the service reports', () => {
    const selected = [read('alerts.yaml'), read('grafana.json').replaceAll('\\"', '"')].flatMap(text => [
      ...text.matchAll(/(sluice_\w+)\{[^}]*\b(state|kind)="(\w+)"/g),
    ]);
    expect(selected.length).toBeGreaterThan(2);
    const missing = selected.filter(([, name, label, value]) =>
      metrics
        .split('\n')
        .every(line => !line.startsWith(`${name}{`) || !line.includes(`${label}="${value}"`)),
    );
    expect(missing.map(([text]) => text)).toEqual([]);
  });
});
