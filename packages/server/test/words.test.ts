import { describe, expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** The words that are retired from source and guides, each with what is said instead. */
const retired: Readonly<Record<string, string>> = {
  'doors?': 'endpoint',
  'lanes?': 'queue, or thread',
  'desks?': 'destination-admin, or pipeline-admin',
  'wish(es|ed)?': 'input, or request',
  'mend(s|ed|ing)?': 'resolve, or fix',
  anew: 'again',
  'ground[- ]?floors?': 'initial schema',
};

/** Where a retired word stays, and why. */
const exceptions: readonly { readonly file: RegExp; readonly text: string; readonly why: string }[] = [
  {
    file: /^(docs\/operating\.md|packages\/server\/src\/telemetry\/metrics\.ts)$/,
    text: 'sluice_door_responses_total',
    why: 'the name of a metric that dashboards and alerts of operators know',
  },
  { file: /^docs\/operating\.md$/, text: '{door,status}', why: 'the labels of that metric' },
  { file: /telemetry\/metrics\.ts$/, text: "['door', 'status']", why: 'the labels of that metric' },
  { file: /telemetry\/metrics\.ts$/, text: '{ door: endpoint', why: 'the labels of that metric' },
  { file: /src\/storage\//, text: 'mended', why: 'a column that a released migration made' },
  { file: /redact-budget\.test\.ts$/, text: 'Leave it at the door.', why: 'a text that a person might send' },
];

const root = join(import.meta.dir, '../../..');

function filesIn(folder: string, pattern: RegExp, recursive = false): string[] {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive, encoding: 'utf8' })
    .filter(name => pattern.test(name))
    .map(name => relative(root, join(root, folder, name)));
}

const files = [
  'README.md',
  // Written by the bench, with the titles that its sections had when they were last measured.
  ...filesIn('docs', /\.md$/).filter(file => file !== 'docs/benchmarks.md'),
  ...readdirSync(join(root, 'packages')).flatMap(name =>
    filesIn(join('packages', name, 'src'), /\.(tsx?|css)$/, true),
  ),
];

/** As a word, as a part of a name in camel case or snake case, and as a constant. */
const patterns = Object.entries(retired).map(([word, instead]) => {
  const capital = word.charAt(0).toUpperCase() + word.slice(1);
  const pattern = `(?<![A-Za-z])(${word}|${word.toUpperCase()})(?![a-z])|${capital}(?![a-z])`;
  return { pattern: new RegExp(pattern), instead };
});
const any = new RegExp(patterns.map(({ pattern }) => pattern.source).join('|'));

const retiredIn = (line: string): string[] =>
  patterns.flatMap(({ pattern, instead }) => {
    const found = pattern.exec(line)?.[0];
    return found === undefined ? [] : [`“${found}” (say ${instead})`];
  });

/** The lines of a file that hold a retired word, without what is excepted there. */
function findsIn(file: string): string[] {
  const allowed = exceptions.filter(exception => exception.file.test(file));
  return readFileSync(join(root, file), 'utf8')
    .split('\n')
    .flatMap((line, i) => {
      if (!any.test(line)) return [];
      const rest = allowed.reduce((text, exception) => text.replaceAll(exception.text, ''), line);
      return retiredIn(rest).map(word => `${file}:${i + 1} says ${word}`);
    });
}

describe('retired words', () => {
  test('stand neither in the source nor in the guides', () => {
    expect(files.length).toBeGreaterThan(600);
    expect(files.flatMap(findsIn)).toEqual([]);
  });

  test('stand in no name of a file', () => {
    expect(files.filter(file => any.test(file))).toEqual([]);
  });

  test('are excepted only where that is still needed', () => {
    const unused = exceptions.filter(
      ({ file, text }) =>
        !files.some(name => file.test(name) && readFileSync(join(root, name), 'utf8').includes(text)),
    );
    expect(unused).toEqual([]);
  });

  test.each([
    'the two doors of it',
    'const doorsOnly = 1',
    'DOORS_ONLY',
    'answer_door_count',
    'class DestinationLane {',
    'type SourceWish = string',
    'It begins Anew.',
    '0001-ground-floor',
    'export const mendRuns',
  ])('are found in %p', line => {
    expect(retiredIn(line)).toHaveLength(1);
  });

  test.each(['outdoors', 'recommended', 'amends', 'an aeroplane', 'Desktop', 'janew', 'Math.floor(2)'])(
    'are not found in %p',
    line => {
      expect(retiredIn(line)).toEqual([]);
    },
  );
});

/** What pages, errors, mails and guides no longer say, each with the word of the glossary. */
const formerWords: Readonly<Record<string, string>> = {
  'Make (all three|the (source|key|destination)|it\\b)': 'Create …',
  'takes events from now on': 'Ready to receive',
  'To the (source|destination|deliveries|dead letters)\\b|\\b(See|Open) the (keys|job|delivery)\\b': 'View …',
  'shown this once and kept': 'You won’t be able to see this again.',
  '(Half of them|95 % ?) within': 'p50, p95',
  'Held by a pause': 'Held',
  'Not arrived': 'Undelivered',
  'They did not take something lately': 'Recent failures',
  'Deliveries a second|At the same time|Delay before each try': 'Rate limit, Concurrency, Retry schedule',
  'It seems to be down': 'Circuit open since …',
  'Look at the table|What goes in<|Certificate to trust': 'Load columns, Value, CA certificate',
  'Only some events|Let (classify )?steps ask': 'Add condition, Call the model',
  'would stand in the dead letters': 'Would be dead-lettered',
  'Through the (pipelines|versions)|Fold the changes': 'Current pipelines, Original versions, Collapse',
  'is taken up again as|Take theirs': 'Restores version …, Load their version',
  'Last answer|Next try|is like that': 'Last response, Next attempt, No deliveries match',
  'were given up|Given up': 'exhausted',
  'Nobody has asked for one|Asked for by': 'No jobs yet, Requested by',
  'Nothing is called that|Nothing is here|leads nowhere\\.': 'No results, Not found',
  'Invite somebody|The e-?mail or the password is not right': 'Invite member, Incorrect email or password.',
  '[Ee]-mail': 'email',
  "header: 'Waiting'|\\btr(y|ies) over|one try\\b|not been tried": 'Backlog, attempt',
  "header: 'By'|label=\"What\"|'Takes'|Tied to": 'Requested by, Type, Accepts, Entity',
  "enabled \\? 'active'": 'enabled, disabled',
  'goes? nowhere|went nowhere': 'is not routed',
  'Nothing (has come in|was rejected|has been sent anywhere)|What it got': 'No … yet, Received events',
  'This takes the role|takes the role member': 'requires the role',
  'No event matches|has such a name|No provider is called|[Cc]lear the filters': 'No … match, Clear filters',
  'is told (yet|through)|nobody is told': 'is notified',
  '[>\'"`](Watch|Know)[<\'"`]': 'Monitor, Data',
  '[>\'"`]Begin[<\'"`]|[>}”] is there\\b(?! twice)': 'Create account, … created',
  '[>\'"`](Over time|Tries|At once|Write one)\\b': 'Throughput, Max attempts, Burst, Custom event',
  '[>\'"`](Begun|Begins with)[<\'"`]|[>\'"`]Withdraw\\b': 'Started, Prefix, Revoke',
  'SDK source': 'API source',
  '(?<!autoComplete=")[Oo]rganization|[>\'"`]Colors?[<\'"`]|\\b[Cc]olors? (of|is|and|for)\\b':
    'organisation, colour',
  '[\\d}] %(?=[<\'"`.,;)])|\\b(sec|min|hr)\\. ago': '14%, 23s ago',
  'abel=.*Copy the|The answer was empty|[>\'"`]Answer(ed)?[<\'"`]': 'Copy …, Response',
};

/** What guides may say in a sentence, and a page may not. */
const formerOnPages: Readonly<Record<string, string>> = {
  'Leave it(?! empty| (at|as|to))': 'Cancel',
  'turned away|(?<=\\d )a second\\b': 'rejected, req/s',
  'what="Made"|· made\\b|(can|owners|admins) make\\b|(This|also) makes\\b|[Mm]ake this source|one is made':
    'create',
  '\\b(meanwhile|once more|[Ss]omebody|[Ee]verybody|[Aa]nybody)\\b':
    'in the meantime, again, someone, everyone, anyone',
  '(is|are) not right|asks? for a code|as many as there may be|exists? already\\.':
    'incorrect, requires, The limit …',
  "'is (not )?there'|the present (secret|key|one|traits)|[Pp]resent recovery": 'exists, current',
  'Case counts|of your own(</|[.\'"`]|\\s*$)|A scheme of your own': 'Case-sensitive, Custom …',
  '(takes|requires|needs) the role|role .{0,20}or above': 'the … role or higher',
  'logged out at once|verifies (it|both) at once|ends at once': 'immediately',
  'take(n|s) (out of|writes)|Room on its disk|[Ll]ast heard':
    'removed from, writable, Free disk space, Last seen',
};

describe('what people read', () => {
  const guides = files.filter(file => file.endsWith('.md'));
  const pages = files.filter(file => /\.(tsx?)$/.test(file) && !file.includes('.test.'));
  const held = [
    ...Object.entries(formerWords).map(([former, instead]) => ({
      former,
      instead,
      in: [...pages, ...guides],
    })),
    ...Object.entries(formerOnPages).map(([former, instead]) => ({ former, instead, in: pages })),
  ];
  for (const { former, instead, in: read } of held) {
    test(`never says “${former}”: ${instead}`, () => {
      const pattern = new RegExp(former);
      const found = read.flatMap(file =>
        readFileSync(join(root, file), 'utf8')
          .split('\n')
          .flatMap((line, n) =>
            // Comments may speak as they like.
            !/^\s*(\*|\/\/|\/\*)/.test(line) && pattern.test(line)
              ? [`${file}:${n + 1}: ${line.trim()}`]
              : [],
          ),
      );
      expect(found).toEqual([]);
    });
  }

  test.each([
    "label: 'Watch'",
    '<Button>Begin</Button>',
    '“Shop” is there',
    'title="Over time"',
    "header: 'Tries'",
    'label="At once"',
    '>Write one<',
    "header: 'Begun'",
    "label: 'Begins with'",
    'act="Withdraw"',
    'An SDK source',
    'Switch organization',
    'the color of',
    '<b>14 %</b>',
    '23 sec. ago',
  ])('is found in %p', line => {
    expect(Object.keys(formerWords).filter(former => new RegExp(former).test(line))).toHaveLength(1);
  });
});
