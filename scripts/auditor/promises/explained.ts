// Every message that was not sent has a reason, and it is the true one: what explanations say is what the clients and
// providers saw, and what the jobs say is what the workflow and the client had asked for.
import { isTaken } from "../deliveries.ts";
import type { Explanation } from "../finals.ts";
import type { Judge, PromiseCheck } from "../judge.ts";
import { type EventEntry, isUndone, keyOf } from "../ledger.ts";
import type { JobRow } from "../rows.ts";
import type { World } from "../world.ts";
import { findPerson } from "./roll-ups-exact.ts";

const channels = new Set(["in_app", "email", "sms"]);
const silentCodes = {
  condition: /^skipped_by_condition$/,
  preference: /^filtered_by_subscriber_/,
  workflow_off: /^$/,
} as const;
const budgetCodes = /^(attention_|roll_up)/;
/** Reasons for a message that was undone by a client. */
const undoneCodes = /^(step_canceled|taken_back_|superseded|roll_up)/;

export default {
  id: "explained",
  title: "Every message that was not sent has a reason, and it is the true one",
  check(world, judge) {
    const seen = findSeen(world);
    for (const explanation of world.finals.explanations) checkExplanation(world, judge, explanation, seen);
    if (!world.rows) return void judge.note("without the database: only the explanations that were asked for");
    for (const [text, events] of world.rows.byText) {
      const entry = world.ledger.events.get(text)!;
      for (const { id } of events) {
        for (const { jobs, person } of world.rows.runs.get(id) ?? []) {
          for (const job of jobs) if (channels.has(job.type)) checkJob(judge, entry, job, person ?? "");
        }
      }
    }
  },
} satisfies PromiseCheck;

/** Text and person (environment and subscriber), or text and address, of all that was sent. */
function findSeen({ finals, deliveries, texts }: World): Set<string> {
  const seen = new Set<string>();
  for (const [key, { messages }] of finals.inboxes) {
    for (const { text } of messages) for (const entry of texts.read(text).events) seen.add(`${entry.text} ${key}`);
  }
  for (const { text, to, tries } of deliveries.messages.values()) {
    if (tries.some(isTaken)) for (const entry of texts.read(text).events) seen.add(`${entry.text} ${to}`);
  }
  return seen;
}

function wasSeen(world: World, seen: Set<string>, { text, environment }: EventEntry, person: string): boolean {
  const { email = "", phone = "" } = findPerson(world, environment, person) ?? {};
  return [keyOf(environment, person), email, phone].some((place) => seen.has(`${text} ${place}`));
}

function checkExplanation(world: World, judge: Judge, given: Explanation, seen: Set<string>): void {
  const { environment, transactionId, person, steps, via, verdict } = given;
  const entry = world.ledger.byTransaction.get(keyOf(environment, transactionId));
  if (!entry) return;
  const about = { at: entry.answeredAt, detail: { transactionId, person, via, steps } };
  judge.compared();
  if (verdict === "") return void judge.broken(`the explanation of ${entry.text} for ${person} has no verdict`, about);
  const { promise } = entry;
  const steps_ = steps.filter(({ type }) => channels.has(type));
  if (promise.kind === "silent") {
    const isTrue =
      promise.reason === "workflow_off"
        ? via === "workflow_off"
        : steps_.length > 0 &&
          steps_.every(({ outcome, code }) => outcome === "skipped" && silentCodes[promise.reason].test(code ?? ""));
    if (!isTrue)
      judge.broken(`${entry.text} is silent because of its ${promise.reason}, and is explained otherwise`, about);
    return;
  }
  const isSeen = wasSeen(world, seen, entry, person);
  const says = steps_.some(({ outcome }) => outcome === "sent" || outcome === "merged");
  const waits = steps_.find(({ outcome }) => outcome === "waiting" || outcome === "pending" || outcome === "sending");
  if (waits && !budgetCodes.test(waits.code ?? ""))
    judge.broken(`${entry.text} is explained as ${waits.outcome}`, about);
  // A message that was sent, and then retracted, is not in the inbox any longer.
  if (says && !isSeen && !isUndone(entry))
    judge.broken(`${entry.text} is explained as sent to ${person}, and is nowhere`, about);
  // A provider may have taken a message whose attempts all failed or got no response. An inbox is the service's own.
  const failed = canFail(entry) && steps_.some(({ outcome }) => outcome === "failed");
  // After a call without a response, and then a cancellation, nobody knows better.
  const doubts = isUndone(entry) && verdict.includes("may have been sent");
  // The event came as an item of a roll-up. Its message was not sent, which is what the explanation says.
  const isRolledUp = promise.kind === "budget" && steps_.some(({ code }) => code === "attention_rolled_up");
  if (!says && isSeen && !failed && !doubts && !isRolledUp)
    judge.broken(`${entry.text} is explained as not sent to ${person}, who has it`, about);
  if (says || isSeen || waits) return;
  const isTrue =
    steps_.length === 0 ? via === "canceled" && isUndone(entry) : steps_.every((step) => isReason(entry, step));
  if (!isTrue) judge.broken(`${entry.text} was not sent to ${person}, without a true reason`, about);
}

/** In the load, providers refuse messages, and nothing else makes a step fail. */
const canFail = ({ promise }: EventEntry): boolean =>
  promise.kind === "email" || promise.kind === "sms" || promise.kind === "budget";

const isReason = (entry: EventEntry, { outcome, code }: { outcome: string; code: string | null }): boolean =>
  (outcome === "failed" && code !== null && canFail(entry)) ||
  (isUndone(entry) && undoneCodes.test(code ?? "")) ||
  (entry.promise.kind === "budget" && budgetCodes.test(code ?? ""));

function checkJob(judge: Judge, entry: EventEntry, { type, status, codes }: JobRow, person: string): void {
  judge.compared();
  const { promise, text } = entry;
  const about = { at: entry.answeredAt, detail: { type, status, codes, transactionId: entry.transactionId } };
  if (promise.kind === "silent") {
    const isTrue = status === "skipped" && codes.some((code) => silentCodes[promise.reason].test(code));
    if (!isTrue && !isUndone(entry)) {
      judge.broken(
        `${text} is silent because of its ${promise.reason}, and its job for ${person} says otherwise`,
        about,
      );
    }
    return;
  }
  if (status === "completed" || status === "merged") return;
  if (status !== "skipped" && status !== "canceled" && status !== "failed") return;
  const hasReason = codes.some(
    (code) =>
      (status === "failed" && code !== "message_created" && canFail(entry)) ||
      (isUndone(entry) && undoneCodes.test(code)) ||
      (promise.kind === "budget" && budgetCodes.test(code)),
  );
  if (!hasReason) judge.broken(`${text} for ${person} (${type}) is ${status}, without a true reason`, about);
}
