import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../../src/command/command.ts';
import { readArguments } from '../../src/command/read-arguments.ts';
import { send } from '../../src/command/send.ts';
import { readSettings } from '../../src/settings.ts';
import { runCommand } from '../support/command.ts';
import { sluiceCommand } from '../support/executable.ts';
import { newFolder } from '../support/folder.ts';
import { startReceiver } from '../support/receiver.ts';
import { type Seed, seedOrganisation, startTestService, type TestService } from '../support/service.ts';
import { recordTerminal } from '../support/terminal.ts';

let service: TestService;
let seed: Seed;
const folder = newFolder();
beforeAll(async () => {
  // Fewer than the command puts into a batch: it has to find out.
  service = await startTestService({ settings: { SLUICE_MAX_BATCH_EVENTS: '60' } });
});
afterAll(() => service.stop());

const file = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};

async function run(args: readonly string[], input = '', given: { url?: string; key?: string } = {}) {
  const terminal = recordTerminal({
    input: (async function* () {
      // In pieces that end anywhere, as a pipe gives them.
      const bytes = Buffer.from(input);
      for (let at = 0; at < bytes.length; at += 7) yield bytes.subarray(at, at + 7);
    })(),
  });
  const { url = service.url, key = seed.apiKey } = given;
  const settings = readSettings({ SLUICE_URL: url, SLUICE_API_KEY: key });
  const code = await send.run(readArguments(send, [...args, '--json'], settings), { settings, terminal });
  const { said, complaints } = terminal;
  return { code, complaints, summary: JSON.parse(said.at(-1) ?? '{}') as Record<string, unknown> };
}

/** Oldest first, with payloads as they are stored. */
async function stored(): Promise<{ type: string; payload: string; senderId: string | null }[]> {
  const { journal } = service.engine;
  const { events } = await journal.listEvents(
    seed.orgId,
    {},
    { limit: 1_000, below: null, budgetMs: 10_000 },
  );
  const found = await Promise.all(events.map(({ id }) => journal.findEvent(seed.orgId, id)));
  return found.toReversed().flatMap(event => (event === null ? [] : [event]));
}

const fresh = async () => {
  seed = await seedOrganisation(service.engine);
};

describe('sluice send', () => {
  test('sends one event, with every digit of its numbers', async () => {
    await fresh();
    const result = await run(['--type', 'order.paid', '--payload', '{"id": 9007199254740993}']);
    expect(result).toMatchObject({ code: 0, summary: { sent: 1, refused: 0, refusals: [] } });
    expect(await stored()).toMatchObject([{ type: 'order.paid', payload: '{"id":9007199254740993}' }]);
  });

  test('sends every line of a file, in batches that the server takes', async () => {
    await fresh();
    const lines = Array.from({ length: 330 }, (_, n) => `{"type":"line","payload":{"n":${n}}}`);
    const result = await run([file('many.ndjson', `${lines.join('\n')}\n`)]);
    expect(result).toMatchObject({ code: 0, complaints: [], summary: { sent: 330 } });
    const numbers = (await stored()).map(({ payload }) => (JSON.parse(payload) as { n: number }).n);
    expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 330 }, (_, n) => n));
  });

  test('names by its line what is refused, with the sentence of the server, and sends the rest', async () => {
    await fresh();
    const input =
      '{"type":"good"}\n\nnot json\n{"type":"good","paylod":{}}\r\n[1]\n{"type":""}\n{"type":"good"}';
    const { code, complaints, summary } = await run(['-'], input);
    expect(code).toBe(1);
    expect(summary).toMatchObject({ sent: 2, refused: 4, error: null });
    expect(complaints.toSorted().map(line => line.slice(0, 28))).toEqual([
      'line 3: It is not valid JSON',
      'line 4: event.paylod is not ',
      'line 5: It is not a JSON obj',
      'line 6: event.type must have',
    ]);
    expect((await stored()).map(({ type }) => type)).toEqual(['good', 'good']);
  });

  test('with a type, each line is a payload', async () => {
    await fresh();
    expect((await run(['-', '--type', 'imported'], '{"a":1}\n{"a":2}\n')).code).toBe(0);
    expect(await stored()).toMatchObject([
      { type: 'imported', payload: '{"a":1}' },
      { type: 'imported', payload: '{"a":2}' },
    ]);
  });

  test('reads CSV with quotes, line breaks in cells, entities and types of cells', async () => {
    await fresh();
    const csv = [
      'type,id,entity.kind,entity.external_id,name,payload.total,note,zip',
      'order.paid,o-1,customer,c-7,"Ada ""the first"", Countess",42.50,"two\nlines",00123',
      'order.paid,,,,Grace,,,"9"',
      'order.paid,too,few',
    ].join('\r\n');
    const result = await run([file('orders.csv', csv), '--typed']);
    expect(result.complaints).toEqual(['line 5: It has 3 cells, and the first line names 8.']);
    const events = await stored();
    expect(events.map(({ payload }) => payload)).toEqual([
      '{"name":"Ada \\"the first\\", Countess","total":42.5,"note":"two\\nlines","zip":"00123"}',
      '{"name":"Grace","zip":9}',
    ]);
    expect(events[0]).toMatchObject({ senderId: 'o-1', entity: { kind: 'customer', externalId: 'c-7' } });
  });

  test('keeps the key of a batch over its retries: nothing is stored twice', async () => {
    await fresh();
    const keys: (string | null)[] = [];
    const flaky = startReceiver(async ({ headers, body }) => {
      keys.push(headers.get('x-ingest-idempotency-key'));
      const answer = await fetch(`${service.url}/v1/ingest`, { method: 'POST', headers, body });
      // Stored, and nobody hears of it.
      return keys.length === 1
        ? new Response('', { status: 503, headers: { 'retry-after': '0' } })
        : new Response(await answer.text(), { status: answer.status });
    });
    const result = await run(['-'], '{"type":"once"}\n{"type":"once"}\n', { url: flaky.url });
    await flaky.stop();
    expect(result).toMatchObject({ code: 0, summary: { sent: 2 } });
    expect(keys).toHaveLength(2);
    expect(keys[0]).toBe(keys[1] as string);
    expect(await stored()).toHaveLength(2);
  });

  test('waits as long as the server asks', async () => {
    const arrived: number[] = [];
    const busy = startReceiver(() => {
      arrived.push(performance.now());
      return arrived.length === 1
        ? new Response('', { status: 429, headers: { 'retry-after': '1' } })
        : new Response('{"data":{"events":[]}}', { status: 202 });
    });
    expect((await run(['--type', 'x'], '', { url: busy.url })).code).toBe(0);
    await busy.stop();
    expect((arrived[1] ?? 0) - (arrived[0] ?? 0)).toBeGreaterThanOrEqual(990);
  });

  test('ends with 1 where the key is refused, and with 2 where nobody answers', async () => {
    const refused = await run(['--type', 'x'], '', { key: 'sk_of_nobody' });
    expect(refused).toMatchObject({ code: 1, summary: { sent: 0 } });
    const gone = startReceiver();
    await gone.stop();
    const away = await run(['--type', 'x', '--retries', '0'], '', { url: gone.url });
    expect(away.code).toBe(2);
    expect(away.summary.error).toContain(`${gone.url} could not be reached`);
  });

  test('says what is wrong with the command line', async () => {
    await fresh();
    const wrong = [
      [[], 'Give a file'],
      [['nowhere.ndjson'], 'There is no file'],
      [['-', '--payload', '{}'], '--payload is for one event'],
      [['-', '--retries', 'x'], '--retries must be'],
      [[file('no-type.csv', 'a,b\n1,2\n')], 'There is no column "type"'],
      [[file('twice.csv', 'type,a,a\n1,2,3\n')], 'must name each column'],
    ] as const;
    for (const [args, message] of wrong) {
      const error = await run(args).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(UsageError);
      expect((error as Error).message).toContain(message);
    }
  });

  test('is plain where it is not a terminal', async () => {
    await fresh();
    const events = file('plain.ndjson', '{"type":"a"}\n{"type":7}\n');
    const settings = { SLUICE_URL: service.url, SLUICE_API_KEY: seed.apiKey };
    const { code, out, err } = await runCommand(['send', events], settings);
    expect({ code, out: out.replace(/in [\d.]+ s/, 'in 0 s') }).toEqual({
      code: 1,
      out: '1 sent, 1 refused, in 0 s.\n',
    });
    expect(err).toBe('line 2: event.type must be a string.\n');
  });

  test('of a million lines takes no more memory than of a few', async () => {
    let events = 0;
    const sink = startReceiver(({ body }) => {
      events += body.split('"type"').length - 1;
      return new Response('{"data":{"events":[]}}', { status: 202 });
    });
    const child = Bun.spawn([...sluiceCommand(), 'send', '-', '--json'], {
      env: { PATH: process.env.PATH, SLUICE_URL: sink.url, SLUICE_API_KEY: 'sk_test' },
      stdin: 'pipe',
      stdout: 'pipe',
    });
    const line = `{"type":"order.paid","payload":{"customer":{"id":"c-7","email":"ada@example.com"},"total":42}}\n`;
    let mostKiB = 0;
    for (let n = 0; n < 1_000; n++) {
      child.stdin.write(line.repeat(1_000));
      await child.stdin.flush();
      // Not what it has used by its end: that counts the process which it was begun in, too.
      const [, kib] = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? [];
      mostKiB = Math.max(mostKiB, Number(kib));
      // What the receiver keeps for other tests would be the largest thing here.
      (sink.requests as unknown[]).length = 0;
    }
    await child.stdin.end();
    const summary = JSON.parse(await new Response(child.stdout).text());
    await sink.stop();
    expect(summary).toMatchObject({ sent: 1_000_000, refused: 0 });
    expect(events).toBe(1_000_000);
    expect(mostKiB).toBeGreaterThan(10_000);
    expect(mostKiB).toBeLessThan(150 * 1_024);
  });
});
