// A successful cancel: nothing is sent after its response. What waited is never sent; a call to a provider that had
// begun finishes, so the attempt has to have begun before the response.
import { clockSlack } from "../compare.ts";
import type { Judge, PromiseCheck } from "../judge.ts";
import { type EventEntry, keyOf } from "../ledger.ts";
import type { World } from "../world.ts";

/** In-app kinds that wait before they send. */
const waiting = new Set(["delay", "wait", "digest"]);
/** Without the attempts: a call takes 30 s at most, and a process may be stopped before it. */
const callMs = 60_000;

export default {
  id: "canceled-silent",
  title: "Nothing is sent after the response to a successful cancel",
  check(world, judge) {
    const canceled = [...world.ledger.events.values()].filter(
      ({ cancel }) => cancel?.outcome === "accepted" && cancel.didSomething,
    );
    if (canceled.length === 0) return;
    const texts = new Set(canceled.map(({ text }) => text));
    const seen = findSeen(world, texts);
    for (const entry of canceled) checkEntry(world, judge, entry, seen.get(entry.text) ?? []);
  },
} satisfies PromiseCheck;

type Seen = { where: string; at: number; isSend: boolean; person: string };

/** Where texts showed up, and when each message was created or its sending began. */
function findSeen(world: World, wanted: Set<string>): Map<string, Seen[]> {
  const seen = new Map<string, Seen[]>();
  const see = (text: string, one: Seen) => {
    for (const { text: found } of world.texts.read(text).events) {
      if (wanted.has(found)) seen.set(found, [...(seen.get(found) ?? []), one]);
    }
  };
  for (const { messages, person } of world.finals.inboxes.values()) {
    for (const { text, createdAt } of messages) see(text, { where: "the inbox", at: createdAt, isSend: false, person });
  }
  for (const { text, tries, to } of world.rows ? [] : world.deliveries.messages.values()) {
    see(text, { where: "a provider", at: tries.at(-1)!.at - callMs, isSend: true, person: to });
  }
  for (const { text, channel, attempts, createdAt, person, status } of world.rows?.messages.values() ?? []) {
    if (channel === "in_app" && status !== "sent") continue;
    if (channel === "in_app") see(text, { where: "a row", at: createdAt, isSend: false, person: person ?? "" });
    for (const { startedAt } of attempts)
      see(text, { where: "an attempt", at: startedAt, isSend: true, person: person ?? "" });
  }
  return seen;
}

function checkEntry(world: World, judge: Judge, entry: EventEntry, seen: Seen[]): void {
  const { text, promise, to, cancel } = entry;
  const { answeredAt } = cancel!;
  judge.compared();
  for (const { where, at, isSend, person } of seen) {
    const about = { at, detail: { environment: entry.environment, canceledAt: answeredAt, madeAt: at } };
    if (at > answeredAt + clockSlack(world, at)) {
      judge.broken(`${text} was canceled, and ${where} of ${person} has it from after the answer`, about);
    } else if (!isSend && to.length === 1 && waiting.has(promise.kind) && keyOf("", person) === keyOf("", to[0]!)) {
      judge.broken(`${text} was canceled while it waited, and is in ${where} of ${person}`, about);
    }
  }
}
