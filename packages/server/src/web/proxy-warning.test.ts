import { expect, test } from 'bun:test';
import { hours } from '../core/clock.ts';
import { createProxyWarning } from './proxy-warning.ts';

function listen(trustProxy: boolean) {
  const warnings: string[] = [];
  let now = 0;
  const look = createProxyWarning({
    trustProxy,
    clock: { now: () => now },
    warn: message => warnings.push(message),
  });
  const ask = (headers: Record<string, string>) => look(new Request('http://localhost/', { headers }));
  return { warnings, ask, pass: (ms: number) => (now += ms) };
}

const forwarded = { 'X-Forwarded-For': '192.0.2.1' };

test('a proxy that is not trusted is reported with what to set, once an hour at most', () => {
  const { warnings, ask, pass } = listen(false);
  ask({});
  expect(warnings).toEqual([]);
  for (let i = 0; i < 100; i++) ask(forwarded);
  expect(warnings).toEqual([expect.stringContaining('SLUICE_TRUST_PROXY=true')]);
  pass(hours(1) - 1);
  ask(forwarded);
  expect(warnings).toHaveLength(1);
  pass(1);
  ask({ Forwarded: 'for=192.0.2.1' });
  ask(forwarded);
  expect(warnings).toHaveLength(2);
  expect(warnings[1]).toStartWith('Requests come with Forwarded');
});

test('one that is trusted is nothing to report', () => {
  const { warnings, ask } = listen(true);
  ask(forwarded);
  expect(warnings).toEqual([]);
});
