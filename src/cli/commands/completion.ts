import {
  type CommandEntry,
  CommandUsageError,
  command,
  exitCodes,
  type LoadedCommand,
  loadCommand,
  type Option,
} from "../command.ts";

/** A parameter, because the command table imports this file. */
export const completion = (commands: () => readonly CommandEntry[]) =>
  command({
    operands: "bash|zsh|fish",
    options: {},
    examples: [
      { line: "haft completion bash >> ~/.bashrc", about: "for good" },
      { line: "source <(haft completion bash)", about: "for this shell" },
    ],
    onlyTells: true,
    run: async ({ operands: [shell], terminal }) => {
      if (!shells.includes(shell as Shell))
        throw new CommandUsageError(`haft completion requires one of: ${shells.join(", ")}.`);
      terminal.out(completionScript(shell as Shell, await Promise.all(commands().map(loadCommand))));
      return exitCodes.done;
    },
  });

const shells = ["bash", "zsh", "fish"] as const;
type Shell = (typeof shells)[number];

const completionScript = (shell: Shell, commands: readonly LoadedCommand[]): string =>
  shell === "fish" ? fishScript(commands) : shell === "zsh" ? zshScript(commands) : bashScript(commands);

const optionsOf = (command: LoadedCommand): readonly (readonly [string, Option])[] =>
  Object.entries<Option>({ ...command.options, help: { type: "boolean", about: "say what it does" } });

/** The shell takes the first case that matches, so longer names come first. */
const byLength = (commands: readonly LoadedCommand[]): readonly LoadedCommand[] =>
  commands.toSorted((one, other) => other.name.length - one.name.length);

/** Second words of commands, by first word. */
const secondWords = (commands: readonly LoadedCommand[]): ReadonlyMap<string, readonly string[]> => {
  const words = new Map<string, string[]>();
  for (const { name } of commands) {
    const [first = "", second] = name.split(" ");
    if (second !== undefined) words.set(first, [...(words.get(first) ?? []), second]);
  }
  return words;
};

const bashScript = (commands: readonly LoadedCommand[]): string => {
  const seconds = secondWords(commands);
  const cases = byLength(commands).map((command) => {
    const flags = optionsOf(command).map(([name]) => `--${name}`);
    return `    "${command.name}"|"${command.name} "*) words="${flags.join(" ")}" ;;`;
  });
  const families = [...seconds].map(
    ([first, words]) => `    "${first}") words="$words ${words.join(" ")}" ;;`,
  );
  const choices = commands.flatMap((command) =>
    optionsOf(command).flatMap(([name, { choices: some }]) =>
      some === undefined ? [] : [`    --${name}) words="${some.join(" ")}" ;;`],
    ),
  );
  return `# haft completion bash > /etc/bash_completion.d/haft
_haft() {
  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" words=""
  local line="\${COMP_WORDS[*]:1:COMP_CWORD-1}"
  case "$before" in
${[...new Set(choices)].join("\n")}
  esac
  if [ -z "$words" ] && [ "$COMP_CWORD" -gt 1 ]; then
    case "$line" in
${cases.join("\n")}
    esac
    case "$line" in
${families.join("\n")}
    esac
  fi
  [ "$COMP_CWORD" -eq 1 ] && words="${[...new Set(commands.map(({ name }) => name.split(" ")[0]))].join(" ")}"
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  [ \${#COMPREPLY[@]} -eq 0 ] && COMPREPLY=($(compgen -f -- "$current"))
}
complete -F _haft haft
`;
};

const escapeQuotes = (text: string): string => text.replaceAll("'", "’");

const zshScript = (commands: readonly LoadedCommand[]): string => {
  const names = [...new Map(commands.map(({ name, about }) => [name.split(" ")[0], about])).entries()];
  const families = [...secondWords(commands)].map(
    ([first, words]) => `      ${first}) compadd -- ${words.join(" ")} ;;`,
  );
  const cases = byLength(commands).map((command) => {
    const flags = optionsOf(command).map(([name, { type, about, choices }]) => {
      const action = choices === undefined ? "_files" : `(${choices.join(" ")})`;
      return `'--${name}[${escapeQuotes(about).replaceAll("]", ")")}]${type === "boolean" ? "" : `:value:${action}`}'`;
    });
    return `    "${command.name}"|"${command.name} "*) _arguments ${flags.join(" ")} '*:file:_files' ;;`;
  });
  return `#compdef haft
# haft completion zsh > "\${fpath[1]}/_haft"
_haft() {
  if (( CURRENT == 2 )); then
    local -a names=(${names.map(([name, about]) => `'${name}:${escapeQuotes(about)}'`).join(" ")})
    _describe command names
    return
  fi
  if (( CURRENT == 3 )); then
    case "\${words[2]}" in
${families.join("\n")}
    esac
  fi
  case "\${words[2,-1]}" in
${cases.join("\n")}
  esac
}
_haft "$@"
`;
};

const fishScript = (commands: readonly LoadedCommand[]): string => {
  const lines = commands.flatMap((command) => {
    const [first, second] = command.name.split(" ");
    const seen = `__fish_seen_subcommand_from ${first}${second === undefined ? "" : `; and __fish_seen_subcommand_from ${second}`}`;
    return [
      `complete -c haft -n __fish_use_subcommand -a ${first} -d '${escapeQuotes(command.about)}'`,
      ...(second === undefined
        ? []
        : [`complete -c haft -n '__fish_seen_subcommand_from ${first}' -a ${second}`]),
      ...optionsOf(command).map(
        ([name, { type, about, choices }]) =>
          `complete -c haft -n '${seen}' -l ${name} -d '${escapeQuotes(about)}'${type === "string" ? " -r" : ""}${choices === undefined ? "" : ` -a '${choices.join(" ")}'`}`,
      ),
    ];
  });
  return `# haft completion fish > ~/.config/fish/completions/haft.fish\n${[...new Set(lines)].join("\n")}\n`;
};
