// What a command is: its words, its options, and a function. The table of commands is in commands/index.ts.
import type { ParseArgsOptionDescriptor } from "node:util";
import type { ExitCode } from "./failure.ts";
import type { Io } from "./io.ts";
import type { Output } from "./output.ts";
import type { Session } from "./session.ts";

type OptionWords = {
  /** One line of the help. */
  about: string;
  /** The placeholder for the value in the help: `--to <subscriber>`. */
  value?: string;
};
export type CommandOptions = Record<string, ParseArgsOptionDescriptor & OptionWords>;

export type Values = Record<string, string | boolean | string[] | undefined>;

export type Call = {
  io: Io;
  out: Output;
  /** The positional arguments behind the name of the command. */
  args: string[];
  values: Values;
  /** The service and the environment; throws when there is none. */
  session(): Promise<Session>;
  /** Every command, for those that describe the others. */
  listCommands(): Promise<{ name: string; summary: string; command: Command }[]>;
  /**
   * Asks before a change in production, unless --yes was given; throws when the response is no, or where there is no
   * terminal to ask on.
   */
  confirm(question: string): Promise<void>;
};

export type Command = {
  /** Behind the name: `<workflow> --to <subscriber>`. */
  usage: string;
  /** More than the summary, where there is more to say. */
  about?: string;
  example: string;
  options?: CommandOptions;
  /** `ls`, `replay` …: the first argument, offered by the completion. */
  actions?: readonly string[];
  // biome-ignore lint/suspicious/noConfusingVoidType: a command that returns nothing is done
  run(call: Call): Promise<ExitCode | void>;
};

/** With every command. */
export const commonOptions = {
  json: { type: "boolean", about: "Print one JSON value" },
  env: { type: "string", value: "name", about: "The environment, as stored by `tidings login`" },
  yes: { type: "boolean", short: "y", about: "Do not ask before changes in production" },
  quiet: { type: "boolean", short: "q", about: "Print errors only" },
  debug: { type: "boolean", about: "Print each request, and where an error comes from" },
  help: { type: "boolean", short: "h", about: "Show this help" },
} as const satisfies CommandOptions;
