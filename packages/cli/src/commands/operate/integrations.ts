// `tidings integrations`: the accounts with providers, and whether the providers accept them.
import type { Integration } from "@tidings/contract";
import { readAction, refuseMoreArguments } from "../../arguments.ts";
import type { Call, Command } from "../../command.ts";
import { CliError, type ExitCode, exitCodes } from "../../failure.ts";
import { plainText } from "../../output.ts";
import { checkProvider } from "../../provider-check.ts";

const actions = ["ls", "check"] as const;
const help = "tidings integrations --help";

export const integrations: Command = {
  usage: "ls|check [<identifier>]",
  about:
    "`check` calls the provider of one integration, or of all active ones, with the stored credentials, and exits with 1 if a\n" +
    "provider rejects them.",
  example: "tidings integrations check sendgrid-main",
  actions,
  run: async (call) => {
    const action = readAction(call, actions, help);
    refuseMoreArguments(call, action === "ls" ? 1 : 2, help);
    const { tidings } = await call.session();
    const all = await tidings.integrations.list();
    return action === "ls" ? list(call, all) : check(call, all);
  },
};

function list({ out }: Call, all: Integration[]): ExitCode {
  out.table(
    ["channel", "identifier", "provider", "name", "state"],
    all.map((one) => [
      one.channel,
      plainText(one.identifier),
      one.providerId,
      plainText(one.name),
      [
        one.active ? out.style("green", "active") : out.style("dim", "off"),
        one.primary && "primary",
        one.health && one.health.state !== "closed" && out.style("red", `breaker ${one.health.state}`),
      ]
        .filter(Boolean)
        .join(", "),
    ]),
  );
  out.json(
    all.map(({ identifier, name, providerId, channel, active, primary, health }) => ({
      ...{ identifier, name, providerId, channel, active, primary, health },
    })),
  );
  return exitCodes.done;
}

async function check(call: Call, all: Integration[]): Promise<ExitCode> {
  const { out, args } = call;
  const [, wanted] = args;
  const chosen =
    wanted === undefined
      ? all.filter(({ active }) => active)
      : all.filter((one) => one.identifier === wanted || one._id === wanted);
  if (wanted !== undefined && chosen.length === 0)
    throw new CliError(`There is no integration "${wanted}".`, { fix: "tidings integrations ls" });
  const session = await call.session();
  const results = [];
  for (const integration of chosen) {
    const result = await checkProvider(session, integration);
    results.push(result);
    const sign = result.ok ? out.style("green", "ok") : out.style("red", "error");
    out.line(`${sign} ${plainText(result.identifier)}: ${plainText(result.text)}`);
  }
  out.json(results);
  return results.every(({ ok }) => ok) ? exitCodes.done : exitCodes.failed;
}
