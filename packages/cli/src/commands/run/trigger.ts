// `tidings trigger <workflow>`: sends an event, shows what it would do, or follows it to its end.
import type { ActivityEvent, Explanation, TriggerEvent } from "@tidings/contract";
import { numberOption, readJsonObject, refuseMoreArguments, requireArgument, textOption } from "../../arguments.ts";
import type { Call, Command } from "../../command.ts";
import { CliError, type ExitCode, exitCodes, wrongUsage } from "../../failure.ts";
import { plainText } from "../../output.ts";
import { hasFailed, printSteps } from "../../steps-text.ts";
import { pollUntil } from "../../time.ts";

const help = "tidings trigger --help";

export const trigger: Command = {
  usage: "<workflow> --to <subscriber>… [--payload <json>|@<file>] [--dry-run|--wait]",
  about:
    "--to, --topic and --audience may be repeated. --dry-run shows who would get what, and sends nothing. --wait follows the event until all\n" +
    "of its steps have ended, prints what was sent and why the rest was not, and exits with 1 if a step failed.",
  example: "tidings trigger order-shipped --to ada --payload '{\"orderId\": 7}' --wait",
  options: {
    to: { type: "string", multiple: true, value: "subscriber", about: "Subscriber id" },
    topic: { type: "string", multiple: true, value: "key", about: "All members of a topic" },
    audience: { type: "string", multiple: true, value: "id", about: "All people of an audience" },
    payload: { type: "string", value: "json|@file", about: "JSON object, or a file with one; @- reads the input" },
    overrides: { type: "string", value: "json|@file", about: "Overrides for this event" },
    context: { type: "string", value: "json|@file", about: 'Contexts by type: {"project": "apollo"}' },
    actor: { type: "string", value: "subscriber", about: "Who caused the event" },
    tenant: { type: "string", value: "identifier", about: "The tenant of the event" },
    "transaction-id": { type: "string", value: "id", about: "An event with this id is accepted once" },
    "dry-run": { type: "boolean", about: "Show what would happen, and send nothing" },
    wait: { type: "boolean", about: "Follow the event to its end" },
    timeout: { type: "string", value: "seconds", about: "How long --wait follows the event (default: 60)" },
  },
  run: async (call) => {
    refuseMoreArguments(call, 1, help);
    const event = await readEvent(call);
    if (call.values["dry-run"] && call.values.wait) throw wrongUsage("Give --dry-run or --wait, not both.", help);
    if (call.values["dry-run"]) return showDryRun(call, event);
    const { tidings } = await call.session();
    await call.confirm(`Trigger ${event.name}`);
    const result = await tidings.events.trigger({ body: event });
    if (result.status !== "processed")
      throw new CliError(`The event was not processed: ${result.status}${faultsOf(result.error)}`, {
        fix: `tidings trigger ${event.name} --dry-run … shows more.`,
      });
    const transactionId = result.transactionId!;
    call.out.line(`${call.out.style("green", "accepted")} ${transactionId}`);
    if (call.values.wait) return follow(call, transactionId);
    const subscriberId = typeof event.to === "string" ? event.to : "<subscriber>";
    call.out.line(call.out.style("dim", `tidings explain ${transactionId} ${subscriberId}`));
    call.out.json(result);
  },
};

const faultsOf = (faults: string[] | undefined): string => (faults?.length ? ` (${faults.join("; ")})` : "");

async function readEvent(call: Call): Promise<TriggerEvent> {
  const name = requireArgument(call, 0, "The workflow", help);
  const subscriberIds = (call.values.to as string[] | undefined) ?? [];
  const topics = (call.values.topic as string[] | undefined) ?? [];
  const audiences = (call.values.audience as string[] | undefined) ?? [];
  if (subscriberIds.length + topics.length + audiences.length === 0)
    throw wrongUsage("--to <subscriber>, --topic <key> or --audience <id> is missing.", help);
  const to = [
    ...subscriberIds,
    ...topics.map((topicKey) => ({ type: "Topic" as const, topicKey })),
    ...audiences.map((audienceId) => ({ type: "Audience" as const, audienceId })),
  ];
  return {
    name,
    to: to.length === 1 ? to[0]! : to,
    payload: await readJsonObject(call, "payload"),
    overrides: await readJsonObject(call, "overrides"),
    context: await readJsonObject(call, "context"),
    actor: textOption(call.values, "actor"),
    tenant: textOption(call.values, "tenant"),
    transactionId: textOption(call.values, "transaction-id"),
  };
}

async function showDryRun({ out, session }: Call, event: TriggerEvent): Promise<ExitCode> {
  const { tidings } = await session();
  const result = await tidings.explain.dryRun({ body: event });
  const { status, error, note, recipients, notReached, truncated } = result;
  if (status !== "processed") out.line(`${out.style("red", "refused")} ${status}${plainText(faultsOf(error))}`);
  if (note) out.line(plainText(note));
  for (const { subscriberId, verdict, steps, isNew } of recipients) {
    out.line(`${out.style("bold", plainText(subscriberId))}${isNew ? " (new)" : ""}: ${plainText(verdict)}`);
    printSteps(out, steps);
  }
  for (const { subscriberId, via } of notReached)
    out.line(`${out.style("bold", plainText(subscriberId))}: ${plainText(via.text)}`);
  if (truncated) out.line(out.style("dim", "There are more subscribers than shown."));
  out.line(out.style("dim", "Nothing was sent."));
  out.json(result);
  return status === "processed" && !recipients.some(({ steps }) => hasFailed(steps))
    ? exitCodes.done
    : exitCodes.failed;
}

/** Recipients whose steps are shown. */
const maxShown = 20;

async function follow(call: Call, transactionId: string): Promise<ExitCode> {
  const { out, io, values } = call;
  const { tidings } = await call.session();
  const seconds = numberOption(values, "timeout", { least: 1, most: 86_400, otherwise: 60 });
  let last: ActivityEvent | undefined;
  const ended = await pollUntil(
    async () => {
      const { data } = await tidings.activity.listEvents({ query: { transactionId }, signal: io.signal });
      last = data[0];
      return last && isEnded(last) ? last : null;
    },
    { withinMs: seconds * 1_000, signal: io.signal },
  );
  const explanations = await explainRecipients(call, transactionId);
  for (const { subscriberId, verdict, steps } of explanations) {
    out.line(`${out.style("bold", plainText(subscriberId))}: ${plainText(verdict)}`);
    printSteps(out, steps);
  }
  const recipients = last?.recipients ?? 0;
  if (recipients > maxShown) out.line(out.style("dim", `${recipients - maxShown} more recipients.`));
  if (!ended)
    out.line(`${out.style("yellow", "not ended")} after ${seconds} s: steps still wait. --timeout waits longer.`);
  else if (recipients === 0) out.line("The event reached no subscriber.");
  out.json({ transactionId, ended: ended !== null, event: last ?? null, recipients: explanations });
  return ended && ended.outcomes.failed + ended.outcomes.partly === 0 ? exitCodes.done : exitCodes.failed;
}

const isEnded = ({ status, outcomes }: ActivityEvent): boolean =>
  (status === "expanded" || status === "canceled" || status === "refused") && outcomes.pending === 0;

async function explainRecipients(call: Call, transactionId: string): Promise<Explanation[]> {
  const { tidings } = await call.session();
  const { data } = await tidings.notifications.list({ query: { transactionId, limit: maxShown } });
  const subscriberIds = data.flatMap(({ subscriber }) => subscriber?.subscriberId ?? []);
  const asked = subscriberIds.map((subscriberId) =>
    tidings.explain.retrieve({ query: { transactionId, subscriberId } }),
  );
  return Promise.all(asked);
}
