/**
 * `npm test`: everything that must hold, in one run. First the Debian packages that the tests use, then types,
 * style and every test. All stages run even after one has failed, so that one run tells the whole story; the
 * closing line counts tests, and each other stage that failed as one more failure.
 *
 * `npm test -- <path or word> …` is the inner loop: only the test files whose path holds one of the words; where no
 * path does, only the tests whose title does. Types and style are left to `npm run check`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { missingPackages, requirePackages } from './packages.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const bin = name => join(root, 'node_modules', '.bin', name);

/** What the tests call, and the Debian package that brings it. */
const neededCommands = [
  { command: 'strace', package: 'strace' },
  { command: 'curl', package: 'curl' },
  { command: 'openssl', package: 'openssl' },
  { command: 'python3', package: 'python3-minimal' },
  { command: 'haproxy', package: 'haproxy' },
  { command: 'chromium-headless-shell', package: 'chromium-headless-shell' },
  { command: 'caddy', package: 'caddy' },
  { command: 'nginx', package: 'nginx' },
  { command: 'promtool', package: 'prometheus' },
  { command: 'systemd-analyze', package: 'systemd' },
];

/** Tests wait for what they expect, however slow the machine is; this ends one that hangs. */
const TEST_TIMEOUT_MS = 600_000;
const FILES_AT_ONCE = 4;
const support = join(root, 'packages/server/test/support');

/** What is built for a run of everything; a few files take the source, which is quicker than building this for them. */
const workplace = mkdtempSync(join(tmpdir(), 'sluice-tests-'));
const built = {
  SLUICE_TEST_EXECUTABLE: join(workplace, 'sluice'),
  SLUICE_TEST_BUNDLE: join(workplace, 'threads'),
};
let isBuilt = false;

/** What the tests write. Many of them leave it, so it goes with the run; what a failure wrote stays to be looked at. */
const temporary = mkdtempSync(join(tmpdir(), 'sluice-tests-'));

process.on('exit', code => {
  clear(workplace);
  if (code === 0 || readdirSync(temporary).length === 0) clear(temporary);
  else console.error(`What the tests wrote is kept in ${temporary}`);
});

let passed = 0;
let failed = 0;

const words = process.argv.slice(2);
if (words.length === 0) {
  requirePackages(missingPackages(neededCommands));
  // Side by side: none of them keeps two cores busy.
  await Promise.all([
    stage('types', async () => (await run(bin('tsc'), ['--noEmit'])).code === 0),
    stage('style', async () => (await run(bin('biome'), ['check', '.'])).code === 0),
    build(),
  ]);
  await runTests([]);
} else {
  const chosen = chooseTests(words);
  if (chosen === null) {
    console.error(`No test's path or title holds ${words.map(word => `"${word}"`).join(' or ')}.`);
    process.exit(2);
  }
  // Only tests of the whole service need the commands and the pages.
  if (chosen.some(file => /\/test\/(e2e|browser|faults|torture)\//.test(file))) {
    requirePackages(missingPackages(neededCommands));
    await stage('dashboard', async () => (await run(process.execPath, ['scripts/dashboard.mjs'])).code === 0);
  }
  await runTests(chosen);
}

console.log(`\n${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);

/** The dashboard, and what tests start: the executable with it inside, and a bundle of the service's threads. */
function build() {
  return stage('build', async () => {
    const made = await Promise.all([
      run(process.execPath, ['scripts/binary.mjs', built.SLUICE_TEST_EXECUTABLE]),
      run(bin('bun'), [join(support, 'make-bundle.ts'), built.SLUICE_TEST_BUNDLE]),
    ]);
    isBuilt = made.every(({ code }) => code === 0);
    return isBuilt;
  });
}

function runTests(chosen) {
  return stage('tests', async () => {
    const postgres = await sharePostgres();
    const args = [
      'test',
      // Most of them wait for something most of the time, so four files at a time share two cores well.
      `--parallel=${FILES_AT_ONCE}`,
      // Those that take longest begin first, so that none of them is left alone at the end.
      `--timings=${join(root, 'scripts/test-timings.json')}`,
      ...(isBuilt ? ['--preload', join(support, 'bundled-threads.ts')] : []),
      ...['--timeout', String(TEST_TIMEOUT_MS)],
      ...chosen,
    ];
    const { code, output } = await run(bin('bun'), args, {
      SLUICE_TEST_DATABASE_URL: postgres.url,
      TMPDIR: temporary,
      ...(isBuilt ? built : {}),
    });
    postgres.end();
    const counted = countTests(output);
    passed += counted.passed;
    failed += counted.failed;
    if (counted.skipped > 0) console.log(`${counted.skipped} tests were skipped; none may be.`);
    if (counted.failed === 0) return code === 0 && counted.skipped === 0 && counted.passed > 0;
    return 'counted';
  });
}

/** One server for all test files, unless a server of somebody's own is given: each start of one takes seconds. */
async function sharePostgres() {
  const given = process.env.SLUICE_TEST_DATABASE_URL;
  if (given) return { url: given, end() {} };
  const child = spawn(bin('bun'), [join(support, 'shared-postgres.ts')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit').then(() => {
    throw new Error('PostgreSQL for the tests did not start.');
  });
  const [line] = await Promise.race([once(child.stdout, 'data'), ended]);
  ended.catch(() => {});
  return { url: String(line).trim(), end: () => child.stdin.end() };
}

/** What `bun test` is to run: files by their path, else by the titles in them; null where nothing matches. */
function chooseTests(words) {
  const sources = readdirSync(join(root, 'packages'), { recursive: true, encoding: 'utf8' })
    .filter(file => /\.tsx?$/.test(file) && !file.includes('node_modules'))
    .map(file => join('packages', file));
  const tests = sources.filter(isTest);
  const byPath = tests.filter(file => words.some(word => file.includes(normalize(word))));
  if (byPath.length > 0) return byPath.map(file => `./${file}`);
  // A suite that both engines run stands beside the tests that run it.
  const byTitle = sources
    .filter(file => isTest(file) || file.includes('/test/contract/'))
    .filter(file => words.some(word => readFileSync(join(root, file), 'utf8').includes(word)))
    .flatMap(file => (isTest(file) ? [file] : tests.filter(test => dirname(test) === dirname(file))));
  if (byTitle.length === 0) return null;
  const pattern = words.map(word => word.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|');
  return [...new Set(byTitle)].map(file => `./${file}`).concat('-t', pattern);
}

function isTest(file) {
  return /\.test\.tsx?$/.test(file);
}

/** `work` answers whether it held, or that its failures are in the count already. */
async function stage(name, work) {
  const started = performance.now();
  console.log(`\n== ${name}`);
  const outcome = await work();
  if (outcome === false) failed++;
  const seconds = ((performance.now() - started) / 1_000).toFixed(1);
  console.log(`== ${name} ${outcome === true ? 'passed' : 'FAILED'} in ${seconds} s`);
}

/** Runs a command of this workspace, shows what it prints, and keeps it. */
function run(command, args, more = {}) {
  return new Promise(resolve => {
    const child = spawn(command, args, {
      cwd: root,
      env: { ...testEnvironment(), ...more },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    const pass = stream => chunk => {
      output += chunk;
      stream.write(chunk);
    };
    child.stdout.setEncoding('utf8').on('data', pass(process.stdout));
    child.stderr.setEncoding('utf8').on('data', pass(process.stderr));
    child.on('error', error => {
      console.error(`${command}: ${error.message}. Has "npm ci" run?`);
      resolve({ code: 1, output });
    });
    // A process that a test left behind may hold the pipes open: wait for the last words, not for ever.
    child.on('exit', code => {
      const settle = () => resolve({ code: code ?? 1, output });
      child.on('close', settle);
      setTimeout(settle, 2_000);
    });
  });
}

/** What cannot be cleared, since a process still writes there, is said and no failure. */
function clear(folder) {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  } catch (error) {
    console.error(`${folder} stays: ${error.message}`);
  }
}

/** A developer's own settings must not reach the services that tests start; `CI` makes a stray `.only` an error. */
function testEnvironment() {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('SLUICE_') || name.startsWith('SLUICE_TEST_'),
  );
  return {
    ...Object.fromEntries(inherited),
    CI: 'true',
    ...(process.stdout.isTTY ? { FORCE_COLOR: '1' } : {}),
  };
}

/** Reads the summary that `bun test` ends with. Errors outside any test count as failures. */
function countTests(output) {
  const plain = output.replace(/\u001b\[[0-9;]*m/g, '');
  const last = word => Number([...plain.matchAll(new RegExp(`^ *(\\d+) ${word}s?$`, 'gm'))].at(-1)?.[1] ?? 0);
  return {
    passed: last('pass'),
    failed: Math.max(last('fail'), last('error')),
    skipped: last('skip') + last('todo'),
  };
}
