// One call of the command line: finds the command, reads its options, runs it, and turns errors into text and an exit
// code.
import { parseArgs } from "node:util";
import { fieldErrorsOf, TidingsError } from "@tidings/client/source";
import type { Call, Command, Values } from "./command.ts";
import { commonOptions } from "./command.ts";
import { commands, findCommand } from "./commands/index.ts";
import { confirmChange } from "./confirm.ts";
import { CliError, type ExitCode, exitCodes, wrongUsage } from "./failure.ts";
import { commandHelp, generalHelp } from "./help.ts";
import type { Io } from "./io.ts";
import { createOutput, type Output, plainText } from "./output.ts";
import { findLogin, openSession, type Session } from "./session.ts";
import { traceRequests } from "./trace.ts";
import { version } from "./version.ts";

export async function runCli(argv: string[], io: Io): Promise<ExitCode> {
  const isQuiet = argv.includes("--quiet") || argv.includes("-q");
  const out = createOutput(io, { isJson: argv.includes("--json"), isQuiet });
  try {
    return await dispatch(argv, io, out);
  } catch (error) {
    if (io.signal.aborted) return exitCodes.failed;
    if (argv.includes("--debug") && error instanceof Error) io.stderr.write(`${plainText(error.stack ?? "")}\n`);
    return report(error, io, out);
  }
}

async function dispatch(argv: string[], io: Io, out: Output): Promise<ExitCode> {
  const { name, rest } = splitCommand(argv);
  if (name === "--version" || name === "-v") {
    io.stdout.write(`${version}\n`);
    return exitCodes.done;
  }
  if (name === undefined || name === "--help" || name === "-h" || name === "help") {
    if (name === "help" && rest[0] !== undefined) return await showHelp(rest[0], io, out);
    io.stdout.write(generalHelp(commands, out.style));
    return name === undefined ? exitCodes.usage : exitCodes.done;
  }
  const command = await findCommand(name);
  const { values, positionals } = readOptions(name, command, rest);
  if (values.help) return await showHelp(name, io, out);
  return (await command.run(createCall(io, out, values, positionals))) ?? exitCodes.done;
}

/** The first word is the command; options that every command takes may be in front of it. */
function splitCommand(argv: string[]): { name: string | undefined; rest: string[] } {
  const [first] = argv;
  if (first === undefined || !first.startsWith("-")) return { name: first, rest: argv.slice(1) };
  const { tokens } = parseArgs({ args: argv, options: commonOptions, strict: false, tokens: true });
  const command = tokens.find((token) => token.kind === "positional");
  // Without a command, --version and --help act as one.
  return command
    ? { name: command.value, rest: argv.toSpliced(command.index, 1) }
    : { name: first, rest: argv.slice(1) };
}

async function showHelp(name: string, io: Io, out: Output): Promise<ExitCode> {
  io.stdout.write(commandHelp(name, await findCommand(name), out.style));
  return exitCodes.done;
}

function readOptions(name: string, command: Command, args: string[]): { values: Values; positionals: string[] } {
  const options = { ...commonOptions, ...command.options };
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true, strict: true });
    return { values: values as Values, positionals };
  } catch (error) {
    // Node's sentence, without its advice about "--".
    const [told] = (error as Error).message.split(". To specify");
    throw wrongUsage(told!, `tidings ${name} --help`);
  }
}

function createCall(io: Io, out: Output, values: Values, args: string[]): Call {
  let opened: Promise<Session> | undefined;
  const session = () => {
    opened ??= openSession(
      findLogin(io, values.env as string | undefined),
      values.debug ? traceRequests(io) : undefined,
    );
    return opened;
  };
  const confirm = async (question: string) => {
    const { isProduction, environment } = await session();
    if (isProduction && !values.yes) await confirmChange(io, `${question} in ${environment.name}`);
  };
  return { io, out, args, values, session, confirm, listCommands };
}

const listCommands: Call["listCommands"] = () =>
  Promise.all(
    Object.entries(commands).map(async ([name, { summary, load }]) => ({ name, summary, command: await load() })),
  );

function report(error: unknown, io: Io, out: Output): ExitCode {
  const { message, fix, exitCode } = describe(error);
  if (out.isJson)
    io.stdout.write(`${JSON.stringify({ error: { message, ...(fix && { fix }), ...codeOf(error) } }, null, 2)}\n`);
  else {
    io.stderr.write(`${out.style("red", "error")} ${plainText(message)}\n`);
    if (fix) io.stderr.write(`${out.style("dim", "→")} ${plainText(fix)}\n`);
  }
  return exitCode;
}

function describe(error: unknown): { message: string; fix?: string; exitCode: ExitCode } {
  if (error instanceof CliError) return error;
  if (error instanceof TidingsError) return { message: detailOf(error), exitCode: exitCodes.failed };
  return { message: error instanceof Error ? error.message : String(error), exitCode: exitCodes.failed };
}

const codeOf = (error: unknown) => (error instanceof TidingsError ? { code: error.code, status: error.status } : {});

/** With the errors of single fields, which a 422 lists. */
const detailOf = ({ message, body }: TidingsError): string =>
  [message, ...fieldErrorsOf(body).map(({ field, messages }) => `  ${field}: ${messages.join("; ")}`)].join("\n");
