// The table of commands. A command is loaded when it is called, so that the others cost nothing at start.
import type { Command } from "../command.ts";
import { wrongUsage } from "../failure.ts";

export type CommandEntry = { group: string; summary: string; load: () => Promise<Command> };

export const commands: Readonly<Record<string, CommandEntry>> = {
  bridge: {
    group: "Move",
    summary: "Sync the workflows that your code defines",
    load: async () => (await import("./bridge.ts")).bridge,
  },
  login: {
    group: "Session",
    summary: "Store the key of an environment",
    load: async () => (await import("./login.ts")).login,
  },
  use: {
    group: "Session",
    summary: "Choose among the stored environments",
    load: async () => (await import("./use.ts")).use,
  },
  whoami: {
    group: "Session",
    summary: "Show the service and the environment in use",
    load: async () => (await import("./whoami.ts")).whoami,
  },
};

export async function findCommand(name: string): Promise<Command> {
  const entry = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!entry) throw wrongUsage(`There is no command "${name}".`, nearestTo(name));
  return entry.load();
}

/** The command that shares the longest beginning with what was typed. */
function nearestTo(name: string): string {
  const shared = (other: string) => [...other].findIndex((letter, at) => letter !== name[at]);
  const [nearest] = Object.keys(commands).sort((a, b) => (shared(b) >>> 0) - (shared(a) >>> 0));
  return name[0] === nearest?.[0] ? `Did you mean \`tidings ${nearest}\`?` : "tidings --help";
}
