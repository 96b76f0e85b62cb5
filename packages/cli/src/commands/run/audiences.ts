// `tidings audiences`: who is in an audience and why, and the people of fixed ones.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Audience, AudiencePerson } from "@tidings/contract";
import {
  numberOption,
  readAction,
  readJsonObject,
  refuseMoreArguments,
  requireArgument,
  textOption,
} from "../../arguments.ts";
import type { Call, Command } from "../../command.ts";
import { CliError, type ExitCode, exitCodes, wrongUsage } from "../../failure.ts";
import { countOf, type Output, plainText } from "../../output.ts";

const actions = [
  "list",
  "show",
  "count",
  "people",
  "explain",
  "create",
  "add",
  "remove",
  "snapshot",
  "delete",
] as const;
const help = "tidings audiences --help";

export const audiences: Command = {
  usage: "list | show|count|people|delete <id> | explain <id> <subscriber> | create|add|remove|snapshot <id> …",
  about:
    "An audience follows a rule over subscribers, or is a fixed list. `create` takes --rule for the first; without it,\n" +
    "the list is empty, and `add` and `remove` change it: `add <id> <subscriber>…`, or --csv with a column subscriberId.\n" +
    "`snapshot <id> <new id>` keeps the present people as a fixed list. `explain` says why a person is in it or not.",
  example:
    'tidings audiences create pro --name \'Pro customers\' --rule \'{"==": [{"var": "subscriber.data.plan"}, "pro"]}\'\n' +
    "tidings audiences count pro",
  actions,
  options: {
    name: { type: "string", value: "name", about: "create, snapshot: its name" },
    description: { type: "string", value: "text", about: "create: what it is for" },
    rule: { type: "string", value: "json|@file", about: "create: JSON Logic over subscribers" },
    "allow-everyone": { type: "boolean", about: "create: the rule may match every subscriber" },
    csv: { type: "string", value: "file", about: "add, remove: a CSV file with a column subscriberId" },
    query: { type: "string", value: "text", about: "list: part of the name or id" },
    limit: { type: "string", value: "number", about: "list, people: how many (default: 20)" },
  },
  run: (call) => runs[readAction(call, actions, help)](call),
};

// biome-ignore lint/suspicious/noConfusingVoidType: a command that returns nothing is done
type Run = (call: Call) => Promise<ExitCode | void>;

const runs: Record<(typeof actions)[number], Run> = {
  list,
  show,
  count,
  people,
  explain,
  create,
  add: (call) => change(call, "add"),
  remove: (call) => change(call, "remove"),
  snapshot,
  delete: remove,
};

/** The audience that the second argument names; `most`: arguments behind the action. */
async function open(call: Call, most = 1) {
  const audienceId = requireArgument(call, 1, "The id of the audience", help);
  refuseMoreArguments(call, most + 1, help);
  return { ...(await call.session()), params: { audienceId } };
}

const limitOf = ({ values }: Call): number => numberOption(values, "limit", { least: 1, most: 100, otherwise: 20 });

async function list(call: Call): Promise<void> {
  refuseMoreArguments(call, 1, help);
  const { out, values } = call;
  const { tidings } = await call.session();
  const query = { limit: limitOf(call), query: textOption(values, "query") };
  const { data } = await tidings.audiences.list({ query });
  if (data.length === 0) out.line("No audiences.");
  else
    out.table(
      ["id", "name", "people who match"],
      data.map(({ audienceId, name, sentence }) => [audienceId, plainText(name), plainText(sentence)]),
    );
  out.json(data);
}

function print(out: Output, { audienceId, name, kind, sentence, description }: Audience): void {
  out.line(`${out.style("bold", audienceId)} ${plainText(name)} (${kind === "rule" ? "a rule" : "a fixed list"})`);
  if (description) out.line(plainText(description));
  out.line(plainText(sentence));
}

async function show(call: Call): Promise<void> {
  const { tidings, params } = await open(call);
  const found = await tidings.audiences.retrieve({ params });
  print(call.out, found);
  if (found.rule) call.out.line(JSON.stringify(found.rule, null, 2));
  call.out.json(found);
}

async function count(call: Call): Promise<void> {
  const { tidings, params } = await open(call);
  const found = await tidings.audiences.count({ params });
  const number = found.people.toLocaleString("en");
  call.out.line(`${found.isEstimated ? "about " : ""}${number} ${found.people === 1 ? "person" : "people"}`);
  call.out.json(found);
}

export const personCells = ({ subscriberId, firstName, lastName, email, locale, timezone }: AudiencePerson): string[] =>
  [subscriberId, [firstName, lastName].filter(Boolean).join(" "), email ?? "", locale ?? "", timezone ?? ""].map(
    plainText,
  );

async function people(call: Call): Promise<void> {
  const { tidings, params } = await open(call);
  const { out } = call;
  const { data, next } = await tidings.audiences.listPeople({ params, query: { limit: limitOf(call) } });
  if (data.length === 0) out.line("The audience has no people now.");
  else out.table(["subscriber", "name", "email", "locale", "time zone"], data.map(personCells));
  if (next) out.line(out.style("dim", "There are more; --limit shows up to 100."));
  out.json(data);
}

async function explain(call: Call): Promise<void> {
  const { tidings, params } = await open(call, 2);
  const { out } = call;
  const subscriberId = requireArgument(call, 2, "The subscriber", help);
  const found = await tidings.audiences.explain({ params: { ...params, subscriberId } });
  out.line(plainText(found.sentence));
  for (const { holds, text, value } of found.reasons) {
    const mark = holds ? out.style("green", "yes") : out.style("red", "no ");
    out.line(`  ${mark} ${plainText(text)}${value === undefined ? "" : `: ${plainText(JSON.stringify(value) ?? "")}`}`);
  }
  out.json(found);
}

async function create(call: Call): Promise<void> {
  const { values, out } = call;
  const rule = await readJsonObject(call, "rule");
  const { tidings, params } = await open(call);
  await call.confirm(`Create the audience ${params.audienceId}`);
  const created = await tidings.audiences.create({
    body: {
      ...params,
      name: textOption(values, "name") ?? params.audienceId,
      description: textOption(values, "description"),
      rule,
      allowEveryone: values["allow-everyone"] === true ? true : undefined,
    },
  });
  print(out, created);
  out.json(created);
}

/** How many people one request changes. */
const perRequest = 500;

async function change(call: Call, action: "add" | "remove"): Promise<ExitCode> {
  const { out, args } = call;
  const ids = [...args.slice(2), ...(await readCsvIds(call))];
  if (ids.length === 0) throw wrongUsage("Name subscribers, or give --csv <file>.", help);
  const { tidings, params } = await open(call, args.length);
  const question = action === "add" ? `Add ${countOf(ids.length, "subscriber")} to` : `Remove ${ids.length} from`;
  await call.confirm(`${question} the audience ${params.audienceId}`);
  let changed = 0;
  const unknown: string[] = [];
  for (let from = 0; from < ids.length; from += perRequest) {
    const body = { subscriberIds: ids.slice(from, from + perRequest) };
    if (action === "add") {
      const result = await tidings.audiences.addMembers({ params, body });
      changed += result.added;
      unknown.push(...result.unknown);
    } else changed += (await tidings.audiences.removeMembers({ params, body })).removed;
    if (ids.length > perRequest) out.note(`${Math.min(from + perRequest, ids.length)} of ${ids.length}`);
  }
  out.line(`${changed} ${action === "add" ? "added" : "removed"}.`);
  if (unknown.length > 0)
    out.line(
      `${out.style("red", String(unknown.length))} without a subscriber: ${plainText(unknown.slice(0, 10).join(", "))}`,
    );
  out.json(action === "add" ? { added: changed, unknown } : { removed: changed });
  return unknown.length > 0 ? exitCodes.failed : exitCodes.done;
}

async function readCsvIds({ io, values }: Call): Promise<string[]> {
  const file = textOption(values, "csv");
  if (file === undefined) return [];
  const { detectSeparator, readCsv } = await import("@tidings/server/checks");
  let text: string;
  try {
    text = readFileSync(resolve(io.cwd, file), "utf8");
  } catch (error) {
    throw new CliError(`--csv: ${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
  const [head, ...rows] = readCsv(text, detectSeparator(text));
  const column = head?.cells.findIndex((cell) => cell.trim() === "subscriberId") ?? -1;
  if (column === -1) throw new CliError(`${file} has no column subscriberId in its first line.`);
  return [...new Set(rows.map(({ cells }) => cells[column]?.trim() ?? "").filter((id) => id !== ""))];
}

async function snapshot(call: Call): Promise<void> {
  const { tidings, params } = await open(call, 2);
  const audienceId = requireArgument(call, 2, "The id of the new audience", help);
  await call.confirm(`Keep the people of ${params.audienceId} as ${audienceId}`);
  const name = textOption(call.values, "name");
  const created = await tidings.audiences.snapshot({ params, body: { audienceId, name } });
  print(call.out, created);
  call.out.json(created);
}

async function remove(call: Call): Promise<void> {
  const { tidings, params, environment } = await open(call);
  await call.confirm(`Delete the audience ${params.audienceId}`);
  await tidings.audiences.delete({ params });
  call.out.line(`${params.audienceId} is deleted from ${environment.name}.`);
  call.out.json(params);
}
