// `tidings dead-letters`: messages that could not be delivered, and their replay at a pace that the provider can take.
import type { CallInput, DeadLetter } from "@tidings/contract";
import { numberOption, readAction, refuseMoreArguments, textOption } from "../../arguments.ts";
import type { Call, Command } from "../../command.ts";
import { type ExitCode, exitCodes, wrongUsage } from "../../failure.ts";
import { plainText } from "../../output.ts";

const actions = ["ls", "replay"] as const;
const help = "tidings dead-letters --help";

export const deadLetters: Command = {
  usage: "ls|replay [<id>…] [--all] [--per-second 20]",
  about:
    "`ls` lists messages that failed for reasons other than their recipient or content. `replay` sends them again: those\n" +
    "named, those that match the options, or all open ones with --all.",
  example:
    "tidings dead-letters ls --provider sendgrid\ntidings dead-letters replay --provider sendgrid --per-second 20",
  actions,
  options: {
    channel: { type: "string", value: "channel", about: "email, sms, push or chat" },
    provider: { type: "string", value: "id", about: "Provider that was tried last" },
    workflow: { type: "string", value: "id", about: "Workflow of the message" },
    integration: { type: "string", value: "identifier", about: "Integration that was tried last" },
    "error-class": { type: "string", value: "class", about: "transient, unknown, auth, quota or config" },
    through: { type: "string", value: "identifier", about: "replay: try this integration first" },
    "per-second": { type: "string", value: "number", about: "replay: messages per second (default: 20)" },
    all: { type: "boolean", about: "replay: every open dead letter" },
    limit: { type: "string", value: "number", about: "ls: how many (default: 20)" },
  },
  run: async (call) => (readAction(call, actions, help) === "ls" ? list(call) : replay(call)),
};

type ReplayBody = CallInput<"deadLetters.replayMany">["body"];

function readFilter({ values }: Call): NonNullable<ReplayBody["filter"]> {
  const filter = {
    channel: textOption(values, "channel") as DeadLetter["channel"] | undefined,
    providerId: textOption(values, "provider"),
    workflowId: textOption(values, "workflow"),
    integrationIdentifier: textOption(values, "integration"),
    errorClass: textOption(values, "error-class") as DeadLetter["errorClass"] | undefined,
  };
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
}

async function list(call: Call): Promise<void> {
  refuseMoreArguments(call, 1, help);
  const { out, values } = call;
  const { tidings } = await call.session();
  const limit = numberOption(values, "limit", { least: 1, most: 100, otherwise: 20 });
  const { data, totalCount } = await tidings.deadLetters.list({
    query: { status: "open", limit, ...readFilter(call) },
  });
  if (data.length === 0) out.line("No dead letters.");
  else
    out.table(
      ["id", "given up", "workflow", "subscriber", "through", "class", "error"],
      data.map((one) => [
        one.id,
        one.createdAt.slice(0, 16).replace("T", " "),
        plainText(one.workflowId),
        plainText(one.subscriberId),
        plainText(one.integrationIdentifier),
        out.style("yellow", one.errorClass),
        plainText(one.errorText.split("\n")[0]!.slice(0, 60)),
      ]),
    );
  if (totalCount > data.length) out.line(out.style("dim", `${data.length} of ${totalCount}; --limit shows more.`));
  out.json({ totalCount, deadLetters: data });
}

/** Calls of one replay: a thousand letters each. */
const maxCalls = 1_000;
const perCall = 1_000;

async function replay(call: Call): Promise<ExitCode> {
  const { out, args, values } = call;
  const ids = args.slice(1);
  const filter = readFilter(call);
  if (ids.length > 0 && Object.keys(filter).length > 0)
    throw wrongUsage("Name ids or give options that choose, not both.", help);
  if (ids.length === 0 && Object.keys(filter).length === 0 && !values.all)
    throw wrongUsage("Name the dead letters, choose them with options, or give --all.", help);
  const perSecond = numberOption(values, "per-second", { least: 0.01, most: 10_000, otherwise: 20 });
  const integrationIdentifier = textOption(values, "through");
  const { tidings } = await call.session();
  const common = { perSecond, ...(integrationIdentifier !== undefined && { integrationIdentifier }) };
  await call.confirm(ids.length > 0 ? `Send ${ids.length} dead letters again` : "Send dead letters again");
  const bodies = ids.length > 0 ? chunks(ids).map((part) => ({ ids: part, ...common })) : null;
  let replayed = 0;
  let failed = 0;
  for (let calls = 0; calls < (bodies?.length ?? maxCalls); calls++) {
    const result = await tidings.deadLetters.replayMany({ body: bodies?.[calls] ?? { filter, ...common } });
    replayed += result.replayed;
    failed += result.failed;
    if (!bodies && result.replayed < perCall) break;
  }
  out.line(`${out.style("green", String(replayed))} sent again, ${perSecond} a second.`);
  if (failed > 0) out.line(`${out.style("red", String(failed))} failed: unknown, or no longer open.`);
  out.json({ replayed, failed });
  return failed > 0 ? exitCodes.failed : exitCodes.done;
}

const chunks = (ids: string[]): string[][] =>
  Array.from({ length: Math.ceil(ids.length / perCall) }, (_, at) => ids.slice(at * perCall, (at + 1) * perCall));
