// `tidings retract <transaction>`: retracts an event, as far as each channel allows.
import type { Retraction } from "@tidings/contract";
import { numberOption, refuseMoreArguments, requireArgument, textOption } from "../../arguments.ts";
import type { Command } from "../../command.ts";
import { CliError, wrongUsage } from "../../failure.ts";
import { countOf, type Output } from "../../output.ts";
import { pollUntil } from "../../time.ts";

const help = "tidings retract --help";
const pollMs = 250;

/** In the order of a list: what was undone, then what was not. */
const words: Readonly<Record<string, string>> = {
  canceled: "canceled before they were sent",
  removed: "removed",
  replaced: "replaced by the correction",
  deleted: "deleted",
  edited: "changed to the correction",
  removal_sent: "asked to disappear",
  corrected: "cannot be unsent, corrected by another message",
  cannot_unsend: "cannot be unsent",
  failed: "refused by the provider",
  not_sent: "had not been sent",
  in_flight: "are with the provider right now",
};

export const retract: Command = {
  usage: "<transaction> --reason <text> [--correction <text> [--correction-subject <text>]] [--preview]",
  about:
    "Cancels what waits, removes in-app messages, and edits or deletes what providers can edit or delete. An email or an\n" +
    "SMS that was sent stays sent; with --correction, another message corrects it. --preview counts and changes nothing.\n" +
    "Follows the work until it is done, and ends with 1 if a provider refused.",
  example: 'tidings retract txn_018f9a3c51d27f8e9b1c2d3e4f5a6b7c --reason "wrong price"',
  options: {
    reason: { type: "string", value: "text", about: "Why, for your colleagues" },
    correction: { type: "string", value: "text", about: "The right text; Liquid with payload and subscriber" },
    "correction-subject": { type: "string", value: "text", about: "Its subject, for email and push" },
    preview: { type: "boolean", about: "Count what can be undone, and change nothing" },
    timeout: { type: "string", value: "seconds", about: "How long to follow it; default 600" },
  },
  run: async (call) => {
    const { out, values, io } = call;
    refuseMoreArguments(call, 1, help);
    const transactionId = requireArgument(call, 0, "The transaction id", help);
    const seconds = numberOption(values, "timeout", { least: 1, most: 86_400, otherwise: 600 });
    const body = textOption(values, "correction");
    const subject = textOption(values, "correction-subject");
    if (subject !== undefined && body === undefined) throw wrongUsage("--correction <text> is missing.", help);
    const correction = body === undefined ? undefined : { body, ...(subject !== undefined && { subject }) };
    const reason = textOption(values, "reason");
    if (!values.preview && reason === undefined) throw wrongUsage("--reason <text> is missing.", help);
    const { tidings } = await call.session();
    if (values.preview) {
      const preview = await tidings.retractions.preview({ body: { transactionId, correction } });
      out.json(preview);
      out.line(`${preview.isCapped ? "more than " : ""}${countOf(preview.people, "recipient")}`);
      showResults(out, preview.results);
      return;
    }
    await call.confirm(`Retract ${transactionId}`);
    const begun = await tidings.retractions.create({ body: { transactionId, reason: reason!, correction } });
    let shown = -1;
    const done = await pollUntil(
      async () => {
        const now = await tidings.retractions.retrieve({ params: { retractionId: begun._id } });
        if (now.handled !== shown && now.people > 1) out.note(`${now.handled} of ${now.people} recipients`);
        shown = now.handled;
        return now.status === "completed" ? now : null;
      },
      { everyMs: pollMs, withinMs: seconds * 1_000, signal: io.signal },
    );
    if (!done) {
      throw new CliError(`The retraction was not done within ${seconds} s, and continues.`, {
        fix: "Call the same command again to follow it: nothing is done twice.",
      });
    }
    out.json(done);
    out.line(`${out.style("green", "retracted")} for ${countOf(done.people, "recipient")}`);
    showResults(out, done.results);
    if (Object.values(done.results).some(({ failed = 0 }) => failed > 0)) {
      throw new CliError("Providers refused to retract some messages.", {
        fix: "tidings explain shows the reason for each person.",
      });
    }
  },
};

function showResults(out: Output, results: Retraction["results"]): void {
  const order = Object.keys(words);
  const rows = Object.entries(results).flatMap(([channel, states]) =>
    Object.entries(states)
      .toSorted(([a], [b]) => order.indexOf(a) - order.indexOf(b))
      .map(([state, count]) => [channel, String(count), words[state] ?? state]),
  );
  if (rows.length > 0) out.table(["channel", "messages", "outcome"], rows);
}
