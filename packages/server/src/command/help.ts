import type { Command } from './command.ts';

/** What `sluice` can do, from the commands themselves. */
export function helpText(commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ usage }) => usage.length));
  return [
    'Sluice takes events in, keeps them, and passes them on.',
    '',
    'Usage: sluice <command>',
    '',
    ...commands.map(({ usage, summary }) => `  ${usage.padEnd(width)}  ${summary}`),
    `  ${'help'.padEnd(width)}  Show this.`,
    '',
    'Settings are environment variables that begin with SLUICE_: docs/reference/settings.md lists them,',
    'and `sluice doctor` shows those in use.',
  ].join('\n');
}
