// `tidings completion <shell>`: a script for the shell, generated from the table of commands.
import { readAction, refuseMoreArguments } from "../../arguments.ts";
import { type Call, type Command, commonOptions } from "../../command.ts";

const shells = ["bash", "zsh", "fish"] as const;

type Words = { name: string; summary: string; options: string[]; actions: readonly string[] };

export const completion: Command = {
  usage: "bash|zsh|fish",
  example:
    "tidings completion bash >> ~/.bashrc\ntidings completion zsh > ~/.zfunc/_tidings\n" +
    "tidings completion fish > ~/.config/fish/completions/tidings.fish",
  actions: shells,
  run: async (call) => {
    const shell = readAction(call, shells, "tidings completion --help");
    refuseMoreArguments(call, 1, "tidings completion --help");
    const words = await readWords(call);
    const script = { bash: bashScript, zsh: zshScript, fish: fishScript }[shell](words);
    call.out.line(script);
    call.out.json({ shell, script });
  },
};

async function readWords({ listCommands }: Call): Promise<Words[]> {
  const all = await listCommands();
  return all.map(({ name, summary, command: { options = {}, actions = [] } }) => ({
    ...{ name, summary, actions },
    options: Object.keys({ ...options, ...commonOptions }).map((one) => `--${one}`),
  }));
}

const bashScript = (words: Words[]): string => `# Completion of tidings for bash.
_tidings() {
  local current="\${COMP_WORDS[COMP_CWORD]}" words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="${words.map(({ name }) => name).join(" ")}"
  else
    case "\${COMP_WORDS[1]}" in
${words.map(({ name, options, actions }) => `      ${name}) words="${[...actions, ...options].join(" ")}" ;;`).join("\n")}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _tidings tidings`;

const quote = (text: string): string => text.replaceAll("'", "");

const zshScript = (words: Words[]): string => `#compdef tidings
_tidings() {
  local -a names
  if (( CURRENT == 2 )); then
    names=(
${words.map(({ name, summary }) => `      '${name}:${quote(summary).replaceAll(":", "\\:")}'`).join("\n")}
    )
    _describe 'command' names
    return
  fi
  case "$words[2]" in
${words.map(({ name, options, actions }) => `    ${name}) compadd -- ${[...actions, ...options].join(" ")}; _files ;;`).join("\n")}
  esac
}
compdef _tidings tidings`;

const fishScript = (words: Words[]): string =>
  [
    "# Completion of tidings for fish.",
    ...words.flatMap(({ name, summary, options, actions }) => [
      `complete -c tidings -n __fish_use_subcommand -f -a ${name} -d '${quote(summary)}'`,
      ...options.map((one) => `complete -c tidings -n '__fish_seen_subcommand_from ${name}' -l ${one.slice(2)}`),
      ...(actions.length > 0
        ? [`complete -c tidings -n '__fish_seen_subcommand_from ${name}' -f -a '${actions.join(" ")}'`]
        : []),
    ]),
  ].join("\n");
