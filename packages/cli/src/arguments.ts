// Reads the arguments and options of a command, and says what is wrong with them.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Call, Values } from "./command.ts";
import { CliError, wrongUsage } from "./failure.ts";
import { readInput } from "./io.ts";

/** The argument at this place; without it, the call is wrong. */
export function requireArgument({ args }: Pick<Call, "args">, at: number, words: string, help: string): string {
  const given = args[at];
  if (given === undefined || given === "") throw wrongUsage(`${words} is missing.`, help);
  return given;
}

export function refuseMoreArguments({ args }: Pick<Call, "args">, most: number, help: string): void {
  if (args.length > most) throw wrongUsage(`"${args[most]}" is one argument too many.`, help);
}

/** The first argument, as one of the actions of the command. */
export function readAction<A extends string>({ args }: Pick<Call, "args">, actions: readonly A[], help: string): A {
  const [given] = args;
  const found = actions.find((action) => action === given);
  if (found) return found;
  throw wrongUsage(
    given === undefined ? `Say what to do: ${actions.join(", ")}.` : `"${given}" is none of ${actions.join(", ")}.`,
    help,
  );
}

export const textOption = (values: Values, name: string): string | undefined => values[name] as string | undefined;

export function numberOption(
  values: Values,
  name: string,
  { least, most, otherwise }: { least: number; most: number; otherwise: number },
): number {
  const given = textOption(values, name);
  if (given === undefined) return otherwise;
  const number = Number(given);
  if (given.trim() === "" || !Number.isFinite(number) || number < least || number > most)
    throw wrongUsage(`--${name}: "${given}" is not a number from ${least} to ${most}.`);
  return number;
}

/** `{"a": 1}`, `@file.json`, or `@-` for the standard input. */
export async function readJsonObject(
  call: Pick<Call, "io" | "values">,
  name: string,
): Promise<Record<string, unknown> | undefined> {
  const given = textOption(call.values, name);
  if (given === undefined) return undefined;
  const text = given.startsWith("@") ? await readReferred(call, name, given.slice(1)) : given;
  const where = given.startsWith("@") ? given.slice(1) : `--${name}`;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new CliError(`${where} is not JSON: ${(error as Error).message}`, {
      fix: `For example: --${name} '{"orderId": 7}', or --${name} @file.json`,
    });
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new CliError(`${where} has to be a JSON object, such as {"orderId": 7}.`);
  return value as Record<string, unknown>;
}

async function readReferred({ io }: Pick<Call, "io">, name: string, path: string): Promise<string> {
  if (path === "-") {
    const text = await readInput(io);
    if (text === null || text.trim() === "") throw new CliError(`--${name} @-: the standard input is empty.`);
    return text;
  }
  try {
    return readFileSync(resolve(io.cwd, path), "utf8");
  } catch (error) {
    throw new CliError(`--${name}: ${path} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
}
