// Email and SMS: at least once, always under one id. Another delivery is allowed only where the service could not know
// that the provider had taken the message, and then the attempt is marked as of unknown outcome: the response was lost,
// or what keeps a result from being written happened to that very call.

import { boundsOf, clockSlack, type Excuse, findExcuse, wordsOf } from "../compare.ts";
import { isTaken, type Sent, type Try, uuidIn } from "../deliveries.ts";
import type { Judge, PromiseCheck } from "../judge.ts";
import { type EventEntry, keyOf } from "../ledger.ts";
import { couldLose } from "../losses.ts";
import type { MessageRow } from "../rows.ts";
import type { World } from "../world.ts";
import { findPerson } from "./roll-ups-exact.ts";

const addresses = { email: "email", sms: "phone", budget: "phone" } as const;
const addressOf = ({ promise }: EventEntry): "email" | "phone" | null =>
  addresses[promise.kind as keyof typeof addresses] ?? null;

export default {
  id: "external",
  title: "Each accepted email and SMS is taken by its provider at least once, under one id, and repeats are marked",
  check(world, judge) {
    const byAddress = Map.groupBy(world.deliveries.messages.values(), ({ text, to }) => `${text} ${to}`);
    let letters = 0;
    for (const entry of world.ledger.events.values()) {
      const address = addressOf(entry);
      if (!address || entry.outcome === "refused") continue;
      for (const person of entry.to) {
        const to = findPerson(world, entry.environment, person)?.[address] ?? "";
        const sent = byAddress.get(`${entry.text} ${to}`) ?? [];
        letters += checkEntry(world, judge, { entry, person, sent });
      }
    }
    const excused = { fault: 0, busy: 0 };
    for (const sent of world.deliveries.messages.values()) checkMessage(world, judge, sent, excused);
    if (excused.fault > 0) judge.note(`${excused.fault} repeats are excused by a failure during the call`);
    if (excused.busy > 0) judge.note(`${excused.busy} repeats are excused by requests that failed during the call`);
    if (letters > 0) judge.note(`${letters} messages were given up and are dead letters, which is allowed`);
    if (!world.rows) judge.note("without the database: marks of attempts and dead letters were not read");
  },
} satisfies PromiseCheck;

type Checked = { entry: EventEntry; person: string; sent: Sent[] };

/** Returns how many dead letters excuse a message that was not sent. */
function checkEntry(world: World, judge: Judge, { entry, person, sent }: Checked): number {
  const about = {
    at: entry.answeredAt,
    detail: { transactionId: entry.transactionId, ids: sent.map((one) => one.messageId) },
  };
  judge.compared();
  if (sent.length > 1) {
    judge.broken(`${entry.text} was sent to ${person} under ${sent.length} ids`, about);
  }
  if (sent.some(({ tries }) => tries.some(isTaken)) || boundsOf(entry).least === 0) return 0;
  const row = findRow(world, entry, person);
  // A message that no row speaks of was held or dropped by the budget, or is lost; only rows can tell.
  if (entry.promise.kind === "budget" && (!world.rows || !row)) return 0;
  if (row?.hasDeadLetter) return 1;
  const state = row ? `, its row says ${row.status}` : world.rows ? ", and it has no row" : "";
  judge.broken(`${entry.text} (${wordsOf(entry)}) was never taken by the provider of ${person}${state}`, about);
  return 0;
}

function findRow({ rows }: World, { text }: EventEntry, person: string): MessageRow | undefined {
  if (!rows) return undefined;
  const index = indexOf(rows.messages);
  return index.get(keyOf(text, person));
}

const indexes = new WeakMap<object, Map<string, MessageRow>>();

/** Messages to providers, by text and person. */
function indexOf(messages: Map<string, MessageRow>): Map<string, MessageRow> {
  const known = indexes.get(messages);
  if (known) return known;
  const index = new Map<string, MessageRow>();
  for (const row of messages.values()) {
    if (row.channel !== "in_app" && row.person) index.set(keyOf(row.text, row.person), row);
  }
  indexes.set(messages, index);
  return index;
}

/** After a response, the service writes the result, and tries that again for so long. */
const settleMs = 10_000;

/**
 * What may have kept the result of a call from being written: a fault during the call, or one that had held up the
 * second call, whose process did not know of the first; or a machine that was too busy, as other clients saw then.
 */
function excuseOf(world: World, before: Try, next: Try): Excuse | null {
  if (couldLose(world.faults, next.at, next.at)) return "fault";
  return findExcuse(world, before.at, Math.min(next.at, before.answeredAt + settleMs));
}

function checkMessage(world: World, judge: Judge, sent: Sent, excused: Record<Excuse, number>): void {
  const { messageId, text, tries, isMixed, to } = sent;
  const taken = tries.filter(isTaken);
  judge.compared();
  const about = { at: tries.at(-1)!.at, detail: { messageId, to, tries: tries.map(({ answer }) => answer) } };
  if (isMixed) judge.broken(`${messageId} was sent with two texts or to two addresses`, about);
  for (const [index, next] of taken.entries()) {
    const before = taken[index - 1];
    if (!before || before.answer === "lost") continue;
    const excuse = excuseOf(world, before, next);
    if (excuse) excused[excuse]++;
    else judge.broken(`${text} was sent again although its provider had accepted it, and nothing failed then`, about);
  }
  const row = world.rows?.messages.get(uuidIn(messageId) ?? "");
  if (!world.rows) return;
  if (!row) return void judge.broken(`${text} was sent under the id ${messageId}, which no row has`, about);
  if (tries.length > row.attempts.length) {
    judge.broken(`${text} was sent ${tries.length} times, and has ${row.attempts.length} attempts`, about);
  }
  const marked = row.attempts.filter(({ outcome }) => outcome === "unknown" || outcome === null).length;
  const known = row.attempts.filter(({ outcome }) => outcome === "accepted").length;
  if (taken.length > marked + known) {
    const counts = `${known} attempts are accepted and ${marked} of unknown outcome`;
    judge.broken(`${text} was taken ${taken.length} times by its provider; ${counts}`, about);
  }
  const accepted = row.attempts.find(({ outcome }) => outcome === "accepted");
  const again = row.attempts.find(({ startedAt }) => startedAt > (accepted?.finishedAt ?? Number.POSITIVE_INFINITY));
  if (known > 1 || (again && clockSlack(world, accepted!.finishedAt!) + clockSlack(world, again.startedAt) === 0)) {
    judge.broken(`${text} was sent again after an attempt that was accepted`, about);
  }
}
