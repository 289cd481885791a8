import { describe, expect, test } from 'bun:test';
import { type Question, readText } from './wire.ts';

const SEVERITIES = ['low', 'high', 'critical'];

/** The label that counts; null where the text is none. */
function labelOf(text: string, labels: readonly string[] = SEVERITIES, isCutOff = false): string | null {
  const question = { label: 'severity', labels } as Question;
  const read = readText(text, question, isCutOff);
  return labels.find(label => label === read) ?? null;
}

describe('a label counts', () => {
  test.each([
    // Alone.
    'high',
    ' high\n',
    // In quotes.
    '"high"',
    "'high'",
    '`high`',
    '“high”',
    '„high“',
    '‘high’',
    '«high»',
    // In a code fence.
    '```\nhigh\n```',
    '```high```',
    '```text\r\nhigh\r\n```\n',
    '```\n"high"\n```',
    "```json\n'high'\n```",
    // As JSON.
    '{"severity":"high"}',
    '{"severity":"high","reason":"It burns."}',
    '```json\n{"severity": "high"}\n```',
    '\n```\n{"severity":"high"}```\n',
    '{"high": 0.93}',
    '{"high": true}',
    '```json\n{"high": 1}\n```',
  ])('in %j', text => {
    expect(labelOf(text)).toBe('high');
  });

  test.each([
    ['"high"', ['high', '"high"'], '"high"'],
    ['high', ['"high"', 'high'], 'high'],
    ['"the \\"big\\" one"', ['the "big" one'], 'the "big" one'],
    ['"the "big" one"', ['the "big" one'], 'the "big" one'],
    ['```\n`ls`\n```', ['ls', '`ls`'], '`ls`'],
    ['```\njson\n```', ['json', 'yaml'], 'json'],
    ['```json\n{"severity":"yaml"}\n```', ['json', 'yaml'], 'yaml'],
    ['{"severity":"other"}', ['severity', 'other'], 'other'],
    ['{"__proto__":1}', ['__proto__'], '__proto__'],
    ['1', ['1', '2'], '1'],
  ])('in %j of %j as %j, however it is written', (text, labels, expected) => {
    expect(labelOf(text, labels)).toBe(expected);
  });

  test.each(['{"severity":"high"}', '{"high":0.9}', '"high"'])('in %j that was cut off behind it', text => {
    expect(labelOf(text, SEVERITIES, true)).toBe('high');
  });
});

describe('no label is made up', () => {
  test.each([
    'HIGH',
    '"High"',
    'It is high.',
    '"It is high."',
    '"high" or "low"',
    '"high',
    'high"',
    '"',
    '""',
    "''high''",
    '`````',
    '``````',
    '```',
    'Here:\n```json\n{"severity":"high"}\n```',
    '```{"severity":"high"}',
    '```json\n{"severity":"worst"}\n```',
    '```low\nhigh\n```',
    '```\nlow\nhigh\n```',
    '```low high```',
    '```json high```',
    '["high"]',
    '{"high": 0.9, "low": 0.1}',
    '{"high": true, "worst": true}',
    '{"high": "low"}',
    '{"high": false}',
    '{"high": 0}',
    '{"high": null}',
    '{"high": "no"}',
    '{"high": "No"}',
    '{"high": "It burns."}',
    '{"high": {}}',
    '{"high": []}',
    '{"high": 0.1}',
    '{"high": -1}',
    '{"severity": "worst"}',
    '{"severity": "worst", "high": true}',
    '{"severity": 1}',
    '{"severity": ["high"]}',
    '{"severity": {"high": 1}}',
    '{"not_severity": "high"}',
    '{}',
    '',
  ])('of %j', text => {
    expect(labelOf(text)).toBeNull();
  });

  test.each(['high', "'high'", '```\nhigh\n```', '{"severity":"hi'])('of %j that was cut off', text => {
    expect(labelOf(text, SEVERITIES, true)).toBeNull();
  });

  test('of a field that was asked for and holds something else, though its name is a label', () => {
    for (const text of ['{"severity":"worst"}', '{"severity":true}', '{"severity":0.9}'])
      expect(labelOf(text, ['severity', 'other'])).toBeNull();
  });

  test('of quotes and fences without end', () => {
    for (const sign of ['`', "'", '"', '```\n', '{"high":']) expect(labelOf(sign.repeat(100_000))).toBeNull();
  });
});
