import type { Command } from '../../packages/server/src/command/command.ts';
import { commonOptions } from '../../packages/server/src/command/command.ts';
import { createCommands } from '../../packages/server/src/command/commands.ts';
import { exitsOf, meaningOf, spelt, usageOf } from '../../packages/server/src/command/help.ts';
import { table } from './table.ts';

/** Nothing is run here: the commands only describe themselves. */
const notRun = (): never => {
  throw new Error('The reference runs no command.');
};

export function renderCommand(): string {
  const commands = createCommands({ startService: notRun, resealStorage: notRun, openApiDocument: notRun });
  return `# The command

\`npx sluice <command>\` in a clone, \`sluice <command>\` of the [executable](../command.md#one-executable). \`sluice help <command>\`
says the same as this page. Where the output is not a terminal it is plain: no colours, no line that replaces another.
Results are on the standard output, complaints and progress on the standard error.

Every command takes ${commonOptions.map(option => `\`${spelt(option)}\` (${lowerFirst(option.meaning)})`).join(' and ')}.

${commands.map(renderOne).join('\n\n')}
`;
}

function renderOne(command: Command): string {
  const { name, summary, about = [], argument, options = [], examples = [] } = command;
  const rows = [
    ...(argument === undefined ? [] : [[`\`<${argument.name}>\``, argument.meaning]]),
    ...options.map(option => [`\`${spelt(option)}\``, choicesOf(option.choices) + meaningOf(option)]),
  ];
  return [
    `## ${name}`,
    `\`sluice ${usageOf(command)}\` – ${summary}`,
    ...about,
    ...(rows.length > 0 ? [table(['Given', 'Meaning'], rows)] : []),
    table(
      ['Exit code', 'Says'],
      exitsOf(command).map(([code, meaning]) => [String(code), meaning]),
    ),
    ...(examples.length > 0 ? [`\`\`\`\n${examples.map(one => `sluice ${one}`).join('\n')}\n\`\`\``] : []),
  ].join('\n\n');
}

const choicesOf = (choices: readonly string[] | undefined): string =>
  choices === undefined ? '' : `${choices.map(choice => `\`${choice}\``).join(', ')}. `;

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1).replace(/\.$/, '');
