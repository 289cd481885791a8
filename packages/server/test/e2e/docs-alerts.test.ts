import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemEventPayload, systemEvents, systemEventTypes } from '@sluice/contract/system-events';
import { compileCondition } from '../../src/core/expressions/condition.ts';

/** The guide to alerts says what the code does. */

const root = join(import.meta.dir, '../../../..');
const guide = readFileSync(join(root, 'docs/alerts.md'), 'utf8');

/** The rows of the table below this heading, as their cells. */
const rowsBelow = (heading: string): string[][] =>
  (guide.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '')
    .split('\n')
    .filter(line => line.startsWith('| `'))
    .map(line =>
      line
        .split('|')
        .map(cell => cell.trim())
        .slice(1, -1),
    );

test('docs/alerts.md lists each system event with when it is raised', () => {
  expect(rowsBelow('What is raised, and when')).toEqual(
    systemEventTypes.map(type => [`\`${type}\``, systemEvents[type].when]),
  );
});

test('docs/alerts.md lists the fields of a payload', () => {
  const fields = rowsBelow('The payload').map(([field]) => field?.replaceAll('`', ''));
  expect(fields).toEqual(Object.keys(systemEventPayload.shape));
});

test('each payload of the reference is one', () => {
  const reference = readFileSync(join(root, 'docs/reference/system-events.md'), 'utf8');
  const payloads = [...reference.matchAll(/```json\n([\s\S]*?)\n```/g)].map(([, text]) =>
    JSON.parse(text ?? ''),
  );
  expect(payloads).toHaveLength(systemEventTypes.length);
  for (const [i, payload] of payloads.entries()) {
    const { counts, waiting } = systemEventPayload.parse(payload);
    const type = systemEventTypes[i];
    expect(Object.keys(counts)).toEqual(Object.keys(type ? systemEvents[type].counts : {}));
    expect(waiting !== null).toBe(type !== undefined && systemEvents[type].waiting !== null);
  }
});

test('the condition of docs/alerts.md is one', () => {
  const condition = /```\n(event\.type in [^\n]*)\n```/.exec(guide)?.[1] ?? '';
  expect(() => compileCondition(condition).check()).not.toThrow();
});
