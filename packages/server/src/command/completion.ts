import { type Command, type CommandOption, commonOptions, report } from './command.ts';

/** `sluice completion`: what a shell needs to complete commands, options and files, from the table of commands. */
export const createCompletion = (commands: () => readonly Command[]): Command => ({
  name: 'completion',
  summary: 'Print a shell completion script for this command.',
  argument: {
    name: 'shell',
    meaning: 'Which shell it is for.',
    isRequired: true,
    choices: ['bash', 'zsh', 'fish'],
  },
  exits: { 0: 'the script is printed' },
  examples: [
    'completion bash > ~/.local/share/bash-completion/completions/sluice',
    'completion zsh > ~/.zfunc/_sluice',
    'completion fish > ~/.config/fish/completions/sluice.fish',
  ],

  async run(given, { terminal }) {
    const { argument: shell = '' } = given;
    const script = (scripts[shell] ?? bash)(commands());
    report(given, terminal, { shell, script }, [script]);
    return 0;
  },
});

const scripts: Readonly<Record<string, (commands: readonly Command[]) => string>> = { bash, zsh, fish };

const optionsOf = ({ options = [] }: Command): readonly CommandOption[] => [...options, ...commonOptions];

function bash(commands: readonly Command[]): string {
  const words = [...commands.map(({ name }) => name), 'help'].join(' ');
  const cases = commands.map(command => {
    const { name, argument } = command;
    const offered = [...optionsOf(command).map(option => `--${option.name}`), ...(argument?.choices ?? [])];
    return `    ${name}) words='${offered.join(' ')}' ;;`;
  });
  const choices = commands
    .flatMap(optionsOf)
    .filter(({ choices: some }) => some !== undefined)
    .map(({ name, choices: some = [] }) => `    --${name}) words='${some.join(' ')}' ;;`);
  return `# bash completion for sluice
_sluice() {
  local words='' current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}"
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '${words}' -- "$current"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
    help) words='${words}' ;;
${cases.join('\n')}
  esac
  case "$before" in
    --*) ;;
    *) before='' ;;
  esac
  case "$before" in
${[...new Set(choices)].join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _sluice sluice`;
}

function zsh(commands: readonly Command[]): string {
  const quoted = (text: string) => text.replaceAll("'", '’').replaceAll('[', '\\[').replaceAll(']', '\\]');
  const spec = ({ name, value, meaning, choices }: CommandOption) => {
    const offer = value === undefined ? '' : `:${value}:${choices ? `(${choices.join(' ')})` : '_default'}`;
    return `'--${name}[${quoted(meaning)}]${offer}'`;
  };
  const cases = commands.map(command => {
    const { name, argument } = command;
    const specs = optionsOf(command).map(spec);
    const offer = argument?.choices ? `(${argument.choices.join(' ')})` : argument?.isFile ? '_files' : ' ';
    if (argument !== undefined) specs.push(`'1:${argument.name}:${offer}'`);
    return `    ${name}) _arguments ${specs.join(' ')} ;;`;
  });
  return `#compdef sluice
# zsh completion for sluice
_sluice() {
  local -a words_of_sluice
  words_of_sluice=(
${commands.map(({ name, summary }) => `    '${name}:${quoted(summary)}'`).join('\n')}
    'help:Show help.'
  )
  if (( CURRENT == 2 )); then
    _describe command words_of_sluice
    return
  fi
  local word=$words[2]
  shift words
  (( CURRENT-- ))
  case $word in
    help) _describe command words_of_sluice ;;
${cases.join('\n')}
  esac
}
if [ "$funcstack[1]" = _sluice ]; then _sluice "$@"; else compdef _sluice sluice; fi`;
}

function fish(commands: readonly Command[]): string {
  const quoted = (text: string) => `'${text.replaceAll("'", '’')}'`;
  const names = [...commands.map(({ name }) => name), 'help'].join(' ');
  const isFirst = `-n 'not __fish_seen_subcommand_from ${names}'`;
  const lines = commands.flatMap(command => {
    const { name, summary, argument } = command;
    const here = `complete -c sluice -n '__fish_seen_subcommand_from ${name}'`;
    return [
      `complete -c sluice -f ${isFirst} -a ${name} -d ${quoted(summary)}`,
      ...optionsOf(command).map(option => {
        const offer = option.choices ? ` -x -a ${quoted(option.choices.join(' '))}` : '';
        const takes = option.value === undefined ? '' : offer || ' -r';
        return `${here} -l ${option.name}${takes} -d ${quoted(option.meaning)}`;
      }),
      ...(argument?.choices ? [`${here} -f -a ${quoted(argument.choices.join(' '))}`] : []),
      ...(argument?.isFile ? [`${here} -F`] : []),
    ];
  });
  return `# fish completion for sluice
complete -c sluice -f
${lines.join('\n')}
complete -c sluice -f ${isFirst} -a help -d 'Show help.'`;
}
