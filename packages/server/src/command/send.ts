import { createReadStream, statSync } from 'node:fs';
import { NOT_REACHED, NotReached } from './client/server.ts';
import { type Command, type Given, report, UsageError } from './command.ts';
import { requireSecret, requireValue } from './read-arguments.ts';
import { type ReadEvent, readCsvRecord, readJsonLine } from './send/events.ts';
import { createSendProgress, type SendProgress } from './send/progress.ts';
import { readCsvRecords, readLines } from './send/records.ts';
import { createUpload, KeyRefused, type LineEvent } from './send/upload.ts';
import type { Terminal } from './terminal.ts';

/** Each far below what a server takes, so that it is answered in a moment and a refused event costs little. */
const BATCH_EVENTS = 100;
const BATCH_BYTES = 90 * 1024;
const BATCHES_AT_ONCE = 4;
/** Of what was refused so many are kept for the summary; all are named as they come. */
const MOST_SUMMED_UP = 100;
const RETRIES = 8;

/** `sluice send`: one event, or those of a file. */
export const send: Command = {
  name: 'send',
  summary: 'Send one event, or every event of an NDJSON or CSV file or of standard input.',
  about: [
    'NDJSON: each line is an event as POST /v1/ingest takes it, {"type": …, "payload": {…}}; with --type each line is the payload of an event of that type.',
    'CSV: the first line names the columns. type, icon, id, timestamp, entity.kind and entity.external_id are what they are in an event, every other column is a field of the payload. An empty cell is left out; cells are strings, unless --typed says otherwise.',
    'Events are sent in batches, several at once, each with an idempotency key that its retries reuse: nothing is stored twice within a run. Sending a file again stores its events again, unless each has an id of its own. An event that the server refuses is reported by its line, and the rest are sent.',
  ],
  argument: { name: 'file', meaning: 'A file, or - for standard input.', isRequired: false, isFile: true },
  options: [
    { name: 'url', value: 'URL', meaning: 'The address of the service.', setting: 'SLUICE_URL' },
    { name: 'key', value: 'KEY', meaning: 'The API key.', setting: 'SLUICE_API_KEY' },
    { name: 'type', value: 'TYPE', meaning: 'The type of the event, or of all events.' },
    { name: 'payload', value: 'JSON', meaning: 'The payload of the one event; {} by default.' },
    {
      name: 'format',
      value: 'FORMAT',
      meaning: 'The format of the file; by default taken from its extension.',
      choices: ['ndjson', 'csv'],
    },
    { name: 'typed', meaning: 'CSV: cells that read as a number, true or false are sent as that.' },
    {
      name: 'retries',
      value: 'N',
      meaning: `How often a batch without an answer is retried; ${RETRIES} by default.`,
    },
  ],
  exits: {
    0: 'all events were accepted',
    1: 'some were refused, or the key was',
    2: 'the server could not be reached; the summary says how many were accepted before',
  },
  examples: [
    `send --type order.paid --payload '{"total": 42}'`,
    'send events.ndjson',
    'send customers.csv --type customer.imported --typed',
    'send - --json < events.ndjson',
  ],

  async run(given, { terminal }) {
    const progress = createSendProgress({
      size: sizeOf(given.argument),
      now: () => performance.now(),
      print: terminal.progress,
    });
    const refusals: { line: number; message: string }[] = [];
    const refuse = (line: number, message: string) => {
      progress.refused();
      if (refusals.length < MOST_SUMMED_UP) refusals.push({ line, message });
      terminal.complain(given.argument === undefined ? message : `line ${line}: ${message}`);
    };
    const upload = createUpload({
      url: requireValue(send, given, 'url'),
      key: requireSecret(send, given, 'key'),
      retries: readRetries(given),
      onTaken: progress.taken,
      onRefused: refuse,
    });
    const problem = await sendAll(eventsOf(given, terminal, progress), upload, refuse, progress);
    terminal.progress('');
    const summary = progress.summary();
    const error = problem === null ? null : problem.message;
    report(given, terminal, { ...summary, error, refusals }, [
      `${summary.sent.toLocaleString('en')} sent, ${summary.refused.toLocaleString('en')} refused, in ${summary.seconds} s.`,
    ]);
    if (problem !== null) {
      terminal.complain(problem.message);
      return problem instanceof NotReached ? NOT_REACHED : 1;
    }
    return summary.refused === 0 ? 0 : 1;
  },
};

/** Batches as they fill, a few under way at once. Answers what ended it before its end. */
async function sendAll(
  events: AsyncIterable<ReadEvent>,
  upload: (batch: readonly LineEvent[]) => Promise<void>,
  refuse: (line: number, message: string) => void,
  progress: SendProgress,
): Promise<NotReached | KeyRefused | null> {
  const underWay = new Set<Promise<void>>();
  let failure: unknown = null;
  let batch: LineEvent[] = [];
  let bytes = 0;

  async function begin(): Promise<void> {
    const uploading = upload(batch)
      .catch((error: unknown) => {
        failure ??= error;
      })
      .finally(() => underWay.delete(uploading));
    underWay.add(uploading);
    batch = [];
    bytes = 0;
    if (underWay.size >= BATCHES_AT_ONCE) await Promise.race(underWay);
    progress.show();
  }

  for await (const event of events) {
    if (failure !== null) break;
    if (event.kind === 'refused') {
      refuse(event.line, event.message);
      continue;
    }
    if (batch.length > 0 && bytes + event.json.length > BATCH_BYTES) await begin();
    batch.push({ line: event.line, json: event.json });
    bytes += event.json.length;
    if (batch.length >= BATCH_EVENTS) await begin();
  }
  if (batch.length > 0 && failure === null) await begin();
  await Promise.all(underWay);
  if (failure === null || failure instanceof NotReached || failure instanceof KeyRefused) return failure;
  throw failure;
}

async function* eventsOf(
  given: Given,
  terminal: Terminal,
  progress: SendProgress,
): AsyncGenerator<ReadEvent> {
  const { argument: file } = given;
  const type = given.value('type');
  if (file === undefined) {
    if (type === undefined)
      throw new UsageError('Give a file, or - for standard input, or --type for one event.');
    yield readJsonLine(type)({ line: 1, text: given.value('payload') ?? '{}' });
    return;
  }
  if (given.value('payload') !== undefined)
    throw new UsageError('--payload is for one event, and not for a file.');
  const input: AsyncIterable<Uint8Array> = file === '-' ? terminal.input() : createReadStream(file);
  const isCsv = (given.value('format') ?? (file.endsWith('.csv') ? 'csv' : 'ndjson')) === 'csv';
  if (!isCsv) {
    const read = readJsonLine(type);
    for await (const record of readLines(input, progress.read)) yield read(record);
    return;
  }
  let read: ReturnType<typeof readCsvRecord> | null = null;
  for await (const record of readCsvRecords(input, progress.read)) {
    if (read === null) read = readCsvRecord(record, { type, typed: given.has('typed') });
    else yield read(record);
  }
}

function sizeOf(file: string | undefined): number | null {
  if (file === undefined || file === '-') return null;
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) throw new UsageError(`There is no file ${file}.`);
  return found.isFile() ? found.size : null;
}

function readRetries(given: Given): number {
  const text = given.value('retries') ?? String(RETRIES);
  const retries = Number(text);
  if (Number.isInteger(retries) && retries >= 0 && retries <= 1_000) return retries;
  throw new UsageError('--retries must be a whole number from 0 to 1000.');
}
