// `tidings env`: the variables of the environment in use, which templates read as `env.NAME`.
import { TidingsError } from "@tidings/client/source";
import { readAction, refuseMoreArguments, requireArgument } from "../../arguments.ts";
import type { Call, Command } from "../../command.ts";
import { CliError } from "../../failure.ts";
import { readInput } from "../../io.ts";
import { plainText } from "../../output.ts";

const actions = ["list", "set", "unset"] as const;
const help = "tidings env --help";

export const env: Command = {
  usage: "list | set <name> <value>|- [--secret] | unset <name>",
  about:
    "Templates and conditions read a variable as `env.NAME`. Its value belongs to one environment and is never published.\n" +
    "`-` as the value reads it from the standard input, where the history of the shell does not keep it. A variable that\n" +
    "is a secret stays one; its value is never printed.",
  example: "tidings env set BASE_URL https://example.com\ntidings env set BILLING_TOKEN - --secret < token.txt",
  actions,
  options: { secret: { type: "boolean", about: "set: encrypt it, for HTTP requests only" } },
  run: async (call) => {
    const action = readAction(call, actions, help);
    if (action === "list") return list(call);
    return action === "set" ? set(call) : unset(call);
  },
};

async function list(call: Call): Promise<void> {
  refuseMoreArguments(call, 1, help);
  const { out } = call;
  const { tidings } = await call.session();
  const all = await tidings.environmentVariables.list({ query: {} });
  if (all.length === 0) out.line("No variables.");
  else
    out.table(
      ["name", "value"],
      all.map(({ key, isSecret, values }) => [
        key,
        isSecret ? out.style("dim", "(secret)") : plainText((values[0]?.value ?? "").slice(0, 80)),
      ]),
    );
  out.json(all.map(({ key, isSecret, values }) => ({ key, isSecret, value: isSecret ? null : values[0]?.value })));
}

async function set(call: Call): Promise<void> {
  const key = requireArgument(call, 1, "The name", help);
  const value = await readValue(call);
  refuseMoreArguments(call, 3, help);
  const { tidings, environment } = await call.session();
  await call.confirm(`Set ${key}`);
  const values = [{ _environmentId: environment._id, value }];
  const isSecret = call.values.secret === true;
  const params = { variableKey: key };
  // Without --secret, a secret stays one.
  const known = await tidings.environmentVariables.retrieve({ params }).catch(ifMissing);
  if (known) await tidings.environmentVariables.update({ params, body: { values, ...(isSecret && { isSecret }) } });
  else await tidings.environmentVariables.create({ body: { key, isSecret, values } });
  call.out.line(`${key} is set in ${environment.name}.`);
  call.out.json({ key, isSecret: isSecret || known?.isSecret === true, isNew: known === null });
}

function ifMissing(error: unknown): null {
  if (error instanceof TidingsError && error.code === "VARIABLE_NOT_FOUND") return null;
  throw error;
}

async function readValue(call: Call): Promise<string> {
  const given = call.args[2];
  if (given !== undefined && given !== "-") return given;
  if (given === undefined) throw new CliError("The value is missing.", { fix: "tidings env set NAME <value>, or -" });
  const text = await readInput(call.io);
  if (text === null) throw new CliError("-: there is no standard input.", { fix: "tidings env set NAME - < file" });
  // The end of the last line belongs to the file, not to the value.
  return text.replace(/\r?\n$/, "");
}

async function unset(call: Call): Promise<void> {
  const key = requireArgument(call, 1, "The name", help);
  refuseMoreArguments(call, 2, help);
  const { tidings, environment } = await call.session();
  await call.confirm(`Delete ${key}`);
  await tidings.environmentVariables.delete({ params: { variableKey: key } });
  call.out.line(`${key} is deleted from ${environment.name}.`);
  call.out.json({ key });
}
