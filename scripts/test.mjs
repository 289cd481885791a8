/**
 * `npm test`: everything that must hold, in one run. First the Debian packages that the tests use, then types,
 * style and every test. All stages run even after one has failed, so that one run tells the whole story; the
 * closing line counts tests, and each other stage that failed as one more failure.
 */
import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
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
  { command: 'chromium', package: 'chromium' },
];

const TEST_TIMEOUT_MS = 60_000;
const FILES_AT_ONCE = 3;

requirePackages(missingPackages(neededCommands));

let passed = 0;
let failed = 0;

await stage('types', async () => (await run(bin('tsc'), ['--noEmit'])).code === 0);
await stage('style', async () => (await run(bin('biome'), ['check', '.'])).code === 0);
await stage('dashboard', async () => (await run(process.execPath, ['scripts/dashboard.mjs'])).code === 0);
await stage('tests', async () => {
  // Most of them wait for something most of the time, so three files at a time share two cores well.
  const args = ['test', `--parallel=${FILES_AT_ONCE}`, '--timeout', String(TEST_TIMEOUT_MS)];
  const { code, output } = await run(bin('bun'), args);
  const counted = countTests(output);
  passed += counted.passed;
  failed += counted.failed;
  if (counted.skipped > 0) console.log(`${counted.skipped} tests were skipped; none may be.`);
  if (counted.failed === 0) return code === 0 && counted.skipped === 0 && counted.passed > 0;
  return 'counted';
});

console.log(`\n${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);

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
function run(command, args) {
  return new Promise(resolve => {
    const child = spawn(command, args, {
      cwd: root,
      env: testEnvironment(),
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
