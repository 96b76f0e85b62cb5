// The texts of --help.
import { type Command, type CommandOptions, commonOptions } from "./command.ts";
import type { CommandEntry } from "./commands/index.ts";
import type { Output } from "./output.ts";

type Style = Output["style"];

export function generalHelp(commands: Readonly<Record<string, CommandEntry>>, style: Style): string {
  const names = Object.keys(commands);
  const width = Math.max(...names.map((name) => name.length)) + 2;
  // Not Map.groupBy, which Node 20 does not have.
  const groups = [...new Set(names.map((name) => commands[name]!.group))];
  const membersOf = (group: string) => names.filter((name) => commands[name]!.group === group);
  const sections = groups.map((group) =>
    [
      style("bold", group),
      ...membersOf(group).map((name) => `  ${name.padEnd(width)}${commands[name]!.summary}`),
      "",
    ].join("\n"),
  );
  return [
    `${style("bold", "tidings")} <command> [options]`,
    "",
    ...sections,
    "Every command accepts --help, --json, --quiet, --debug, --env <name>. `tidings <command> --help` shows an example.",
    "",
  ].join("\n");
}

export function commandHelp(name: string, { usage, about, example, options = {} }: Command, style: Style): string {
  const optionLines = describeOptions({ ...options, ...commonOptions });
  return [
    `${style("bold", `tidings ${name}`)} ${usage}`.trimEnd(),
    ...(about ? ["", about] : []),
    "",
    style("bold", "Options"),
    ...optionLines,
    "",
    style("bold", "Example"),
    ...example.split("\n").map((line) => `  ${line}`),
    "",
  ].join("\n");
}

function describeOptions(options: CommandOptions): string[] {
  const rows = Object.entries(options).map(([name, { short, value, about }]) => {
    const flag = `${short ? `-${short}, ` : ""}--${name}${value ? ` <${value}>` : ""}`;
    return [flag, about] as const;
  });
  const width = Math.max(...rows.map(([flag]) => flag.length)) + 2;
  return rows.map(([flag, about]) => `  ${flag.padEnd(width)}${about}`);
}
