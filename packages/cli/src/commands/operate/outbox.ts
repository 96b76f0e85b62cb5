// `tidings outbox`: the table and functions in a customer's own database through which its transactions trigger events.
import { countedOutboxRows, defaultOutboxSchema, outboxSql } from "@tidings/contract";
import { readAction, refuseMoreArguments, textOption } from "../../arguments.ts";
import type { Call, Command } from "../../command.ts";
import { CliError, type ExitCode, exitCodes, wrongUsage } from "../../failure.ts";
import { countOf } from "../../output.ts";

const actions = ["sql", "install", "status", "uninstall"] as const;
type Action = (typeof actions)[number];
const help = "tidings outbox --help";

/** Options that only some actions have: --dry-run must not be ignored where it would be believed. */
const optionsOf: Record<Action, readonly string[]> = {
  sql: ["app-role", "relay-role"],
  install: ["app-role", "relay-role", "database", "dry-run"],
  status: ["database"],
  uninstall: ["database", "force"],
};

export const outbox: Command = {
  usage: "sql | install | status | uninstall",
  about:
    "An outbox in your own PostgreSQL, 13 or later: your transactions trigger events with `select tidings.trigger(…)`, and\n" +
    "the service takes them from there when these have committed. `sql` prints what `install` applies, for your own\n" +
    "migrations. `install` may be repeated, and rows that wait stay; `status` shows what waits; `uninstall` removes it all.\n" +
    "The address of the database is that of --database or OUTBOX_DATABASE_URL.",
  example:
    "tidings outbox sql --app-role shop --relay-role tidings_relay > outbox.sql\n" +
    "tidings outbox install --database postgresql://owner:password@db.example.com/shop --app-role shop --relay-role tidings_relay",
  actions,
  options: {
    database: { type: "string", value: "url", about: "The database, as a role that may create the schema" },
    schema: { type: "string", value: "name", about: `The schema of the outbox (${defaultOutboxSchema})` },
    "app-role": {
      type: "string",
      multiple: true,
      value: "role",
      about: "A role that may trigger events; may be repeated",
    },
    "relay-role": { type: "string", value: "role", about: "The role that the service connects as" },
    "dry-run": { type: "boolean", about: "install: check everything, and change nothing" },
    force: { type: "boolean", about: "uninstall: even if events wait, which are lost" },
  },
  run: async (call) => {
    const action = readAction(call, actions, help);
    refuseMoreArguments(call, 1, help);
    const own = new Set(Object.values(optionsOf).flat());
    const stray = [...own].find((name) => call.values[name] !== undefined && !optionsOf[action].includes(name));
    if (stray) throw wrongUsage(`\`outbox ${action}\` has no option --${stray}.`, help);
    return { sql, install, status, uninstall }[action](call);
  },
};

async function sql(call: Call): Promise<void> {
  const text = outboxSql(readSchema(call), readRoles(call));
  call.out.line(text.trimEnd());
  call.out.json({ sql: text });
}

async function install(call: Call): Promise<void> {
  const { out, values } = call;
  const target = { ...readTarget(call), ...readRoles(call), isDryRun: values["dry-run"] === true };
  const { installOutbox } = await loadSetup();
  const result = await installOutbox(target);
  const { place, schema, change, app, relay, isDryRun } = result;
  const table = `${schema}.outbox`;
  const words = {
    created: [
      `Created ${table} and its functions in ${place}.`,
      `Would create ${table} and its functions in ${place}.`,
    ],
    updated: [
      `Replaced the functions of ${table} in ${place} with those of this version. Rows that wait stay.`,
      `Would replace the functions of ${table} in ${place} with those of this version. Rows that wait would stay.`,
    ],
    none: [`${table} was there already in ${place}, with the functions of this version.`],
  }[change];
  out.line(isDryRun ? (words[1] ?? words[0]!) : words[0]!);
  const may = isDryRun ? "would be allowed to" : "may";
  if (app.length > 0) out.line(`${app.join(", ")} ${may} trigger events.`);
  if (relay !== null) out.line(`${relay} ${may} empty the outbox.`);
  if (isDryRun) out.line("Nothing was changed.");
  else if (change === "created")
    out.line("Next: create a source with the address of this database, under Sources in the dashboard.");
  out.json(result);
}

async function status(call: Call): Promise<ExitCode> {
  const { out } = call;
  const target = readTarget(call);
  const { findOutboxStatus } = await loadSetup();
  const { place, found } = await findOutboxStatus(target);
  if (!found)
    throw new CliError(`There is no ${target.schema}.outbox in ${place}.`, {
      fix: "tidings outbox install --database …",
    });
  const { schema, version, owner, functions, missingColumns, waiting, oldestAt, mayCall, mayEmpty } = found;
  const rows = waiting >= countedOutboxRows ? `${countedOutboxRows} rows or more` : countOf(waiting, "row");
  const state = { current: "of this version", other: "of another version", missing: "missing" }[functions];
  const isWrong = functions === "missing" || missingColumns.length > 0;
  out.line(`outbox     ${schema}.outbox of ${owner} in ${place}, version ${version}`);
  if (missingColumns.length > 0) out.line(`columns    ${missingColumns.join(", ")} missing: correct the table`);
  out.line(`functions  ${state}${functions === "current" ? "" : ": run `tidings outbox install`"}`);
  out.line(`waiting    ${rows}${oldestAt ? `, the oldest since ${oldestAt}` : ""}`);
  out.line(`may call   ${mayCall.join(", ")}`);
  out.line(`may empty  ${mayEmpty.join(", ")}`);
  out.json({ place, ...found });
  return isWrong ? exitCodes.failed : exitCodes.done;
}

async function uninstall(call: Call): Promise<void> {
  const { out, values } = call;
  const target = { ...readTarget(call), isForced: values.force === true };
  const { uninstallOutbox } = await loadSetup();
  const result = await uninstallOutbox(target);
  const { place, schema, isRemoved, lostRows, keepsSchema } = result;
  if (!isRemoved) out.line(`There is no ${schema}.outbox in ${place}: nothing to remove.`);
  else {
    out.line(`Removed ${schema}.outbox and its functions from ${place}.`);
    if (lostRows > 0) out.line(`${countOf(lostRows, "event")} that waited ${lostRows === 1 ? "is" : "are"} lost.`);
    if (keepsSchema) out.line(`The schema ${schema} stays: it has something else, or belongs to another role.`);
    out.line("Delete its source in the dashboard, if there is one.");
  }
  out.json(result);
}

/** Loaded when a database is called: the driver is large. */
const loadSetup = () => import("@tidings/server/outbox");

function readTarget(call: Call): { url: string; setting: string; schema: string; signal: AbortSignal } {
  const given = textOption(call.values, "database");
  const fromEnvironment = call.io.env.OUTBOX_DATABASE_URL;
  const url = given ?? fromEnvironment;
  if (!url)
    throw wrongUsage(
      "The database is missing.",
      "Give its address: --database postgresql://user:password@host:5432/database, or OUTBOX_DATABASE_URL.",
    );
  const setting = given === undefined ? "OUTBOX_DATABASE_URL" : "--database";
  return { url, setting, schema: readSchema(call), signal: call.io.signal };
}

/** As a source can name it. */
function readSchema({ values }: Call): string {
  const name = textOption(values, "schema") ?? defaultOutboxSchema;
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(name) || name.startsWith("pg_"))
    throw wrongUsage(
      `--schema: "${name}" is not a name of a schema: small letters, digits and _, at most 63, not starting with a digit or pg_.`,
    );
  return name;
}

function readRoles({ values }: Call): { app: string[]; relay?: string } {
  const app = [...new Set((values["app-role"] as string[] | undefined) ?? [])];
  const relay = textOption(values, "relay-role");
  for (const name of app) checkRole("app-role", name);
  if (relay !== undefined) checkRole("relay-role", relay);
  return { app, ...(relay !== undefined && { relay }) };
}

function checkRole(option: string, name: string): void {
  const bytes = Buffer.byteLength(name);
  if (bytes === 0 || bytes > 63 || /\p{Cc}/u.test(name) || name.startsWith("pg_") || name === "public")
    throw wrongUsage(`--${option}: "${name}" is not a name of a role.`, "Name one role, of at most 63 bytes.");
}
