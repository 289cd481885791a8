/** A Dockerfile as far as ours goes: its stages and their instructions, and which files the builder is sent. */
export interface Instruction {
  readonly name: string;
  /** What follows the name, on one line. */
  readonly text: string;
}

export interface Stage {
  readonly image: string;
  readonly name: string | null;
  readonly instructions: readonly Instruction[];
}

export function readStages(dockerfile: string): Stage[] {
  const lines = dockerfile
    .split('\n')
    .filter(line => !line.startsWith('#'))
    .join('\n')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter(line => line.trim() !== '');
  const stages: (Stage & { instructions: Instruction[] })[] = [];
  for (const line of lines) {
    const [, name = '', text = ''] = /^(\S+)\s+(.*)$/.exec(line) ?? [];
    if (name === 'FROM') {
      const [image = '', , alias = null] = text.split(/\s+/);
      stages.push({ image, name: alias, instructions: [] });
    } else {
      stages.at(-1)?.instructions.push({ name, text });
    }
  }
  return stages;
}

/** The arguments of an instruction in its exec form: `CMD ["bun", "--version"]`. */
export function execForm(stage: Stage, name: string): string[] {
  const text = stage.instructions.find(instruction => instruction.name === name)?.text ?? '';
  return JSON.parse(text.slice(text.indexOf('['))) as string[];
}

export const lastOf = (stage: Stage, name: string): string =>
  stage.instructions.findLast(instruction => instruction.name === name)?.text ?? '';

/** `ENV A=1 B=2`, with `$PATH` filled in. */
export function environmentOf(stage: Stage, path: string): Record<string, string> {
  const pairs = stage.instructions
    .filter(({ name }) => name === 'ENV')
    .flatMap(({ text }) => text.split(/\s+/))
    .map(pair => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)] as const);
  return Object.fromEntries(pairs.map(([name, value]) => [name, value.replaceAll('$PATH', path)]));
}

export interface Copy {
  /** The stage that it copies from; null for the files that the builder was sent. */
  readonly from: string | null;
  readonly sources: readonly string[];
  readonly target: string;
}

export function readCopy(text: string): Copy {
  const words = text.split(/\s+/);
  const from = words.find(word => word.startsWith('--from='))?.slice('--from='.length) ?? null;
  const paths = words.filter(word => !word.startsWith('--'));
  return { from, sources: paths.slice(0, -1), target: paths.at(-1) ?? '' };
}

/** Whether a .dockerignore lets this file through: the last line that matches it or one of its folders decides. */
export function isSent(ignored: string, file: string): boolean {
  const parts = file.split('/');
  const itselfAndFolders = parts.map((_, i) => parts.slice(0, i + 1).join('/'));
  let sent = true;
  for (const line of ignored.split('\n')) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const isException = line.startsWith('!');
    const glob = new Bun.Glob(isException ? line.slice(1) : line);
    if (itselfAndFolders.some(path => glob.match(path))) sent = isException;
  }
  return sent;
}
