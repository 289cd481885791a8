import { sluiceCommand } from './executable.ts';

export interface CommandResult {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** `sluice …` as an operator types it, with these settings and no others, and this on its standard input. */
export async function runCommand(
  args: readonly string[],
  settings: Record<string, string> = {},
  input = '',
): Promise<CommandResult> {
  const child = Bun.spawn([...sluiceCommand(settings), ...args], {
    env: { PATH: process.env.PATH, ...settings },
    stdin: new Blob([input]),
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { code, out, err };
}
