// `tidings grant-sql`: lets a role of the service's own database trigger events by SQL.
import { refuseMoreArguments, requireArgument, textOption } from "../../arguments.ts";
import type { Call, Command } from "../../command.ts";
import { wrongUsage } from "../../failure.ts";
import { loadOperate } from "../../server-bundle.ts";

const help = "tidings grant-sql --help";

export const grantSql: Command = {
  usage: "<role> --environment <name> [--move] [--create-role] | <role> --revoke | --list",
  about:
    "For applications in the same PostgreSQL as the service: the role may call tidings.trigger, tidings.cancel and\n" +
    "tidings.upsert_subscriber in its transactions, for this environment, and can read or change nothing else. Runs where the\n" +
    "service is installed, with its settings (DATABASE_URL …), whether it runs or not. What a role called before it was\n" +
    "revoked is still accepted. For another PostgreSQL, see `tidings outbox`.",
  example: "tidings grant-sql shop --environment production\ntidings grant-sql shop --revoke\ntidings grant-sql --list",
  options: {
    environment: { type: "string", value: "name", about: "The environment, by its identifier, name or id" },
    move: { type: "boolean", about: "Even if the role was granted another environment" },
    "create-role": { type: "boolean", about: "Create the role, and print its password once" },
    revoke: { type: "boolean", about: "The role may no longer trigger events" },
    list: { type: "boolean", about: "List the roles that may trigger events" },
  },
  run: async (call) => {
    const { values } = call;
    if (values.list && values.revoke) throw wrongUsage("--list and --revoke exclude each other.", help);
    for (const name of ["move", "create-role"])
      if (values[name] && (values.list || values.revoke)) throw wrongUsage(`--${name} is for a new grant.`, help);
    if (values.list) return list(call);
    const role = readRole(call);
    return values.revoke ? revoke(call, role) : grant(call, role);
  },
};

function readRole(call: Call): string {
  const role = requireArgument(call, 0, "The role", help);
  refuseMoreArguments(call, 1, help);
  if (Buffer.byteLength(role) > 63 || /\p{Cc}/u.test(role))
    throw wrongUsage("The name of a role has at most 63 bytes, without control characters.", help);
  return role;
}

async function grant(call: Call, role: string): Promise<void> {
  const { io, out, values } = call;
  const environment = textOption(values, "environment");
  if (!environment) throw wrongUsage("--environment is missing.", help);
  const operate = await loadOperate("grant-sql");
  const result = await operate.grantSql({
    role,
    environment,
    isMove: values.move === true,
    isNew: values["create-role"] === true,
    env: io.env,
    say: out.note,
    signal: io.signal,
  });
  const { before, url, warnings } = result;
  const instead = before !== null && before !== result.environment ? `, no longer for ${before}` : "";
  const already = before === result.environment ? " It was granted this already." : "";
  out.line(`${role} may trigger events for ${result.environment}${instead}.${already}`);
  if (url !== null) out.line(`Its address, with a password that is not shown again: ${url}`);
  for (const warning of warnings) out.note(`warning ${warning}`);
  out.json(result);
}

async function revoke(call: Call, role: string): Promise<void> {
  const { io, out, values } = call;
  const operate = await loadOperate("grant-sql");
  const environment = textOption(values, "environment");
  const result = await operate.revokeSql({ role, environment, env: io.env, say: out.note, signal: io.signal });
  out.line(`${role} may no longer trigger events for ${result.environment}. What it called before is still accepted.`);
  out.json(result);
}

const problems = {
  ready: "",
  gone: "does not exist: revoke it",
  unprivileged: "lost its privileges: grant it again",
};

async function list(call: Call): Promise<void> {
  const { io, out, values } = call;
  refuseMoreArguments(call, 0, help);
  const operate = await loadOperate("grant-sql");
  const environment = textOption(values, "environment");
  const found = await operate.listSqlGrants({ environment, env: io.env, say: out.note, signal: io.signal });
  if (found.length === 0) out.line("No role may trigger events.");
  else
    out.table(
      ["role", "environment", "since", ""],
      found.map((one) => [one.role, one.environment, operate.timeText(one.since), problems[one.state]]),
    );
  out.json(found);
}
