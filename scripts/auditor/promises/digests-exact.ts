// Digests: each accepted event is in exactly one digest message of its person, and no digest has an event twice or one
// that is not its own.
import { boundsOf, isFor, wordsOf } from "../compare.ts";
import type { Judge, PromiseCheck } from "../judge.ts";
import type { EventEntry } from "../ledger.ts";
import type { World } from "../world.ts";

const isOwn = ({ promise }: EventEntry): boolean => promise.kind === "digest";

export default {
  id: "digests-exact",
  title: "Each event is in exactly one digest of its person",
  check(world, judge) {
    for (const [key, events] of world.wanted) {
      const digested = events.filter(isOwn);
      if (digested.length === 0) continue;
      const inbox = world.finals.inboxes.get(key);
      if (inbox) checkDigests(world, judge, { key, events: digested, messages: inbox.messages, as: "inbox" });
      if (!world.rows) continue;
      const messages = (world.rows.byPerson.get(key) ?? []).filter(({ status }) => status === "sent");
      checkDigests(world, judge, { key, events: digested, messages, as: "rows" });
    }
    if (!world.rows) judge.note("without the database: only the lists of clients");
  },
} satisfies PromiseCheck;

type Message = { id: string; text: string; createdAt: number };
type Digests = { key: string; events: EventEntry[]; messages: Message[]; as: "inbox" | "rows" };

function checkDigests({ texts }: World, judge: Judge, { key, events, messages, as }: Digests): void {
  const [environment, person] = key.split(" ") as [string, string];
  const digests = new Map<EventEntry, Message[]>();
  for (const message of messages) {
    for (const entry of texts.read(message.text).events) {
      if (!isOwn(entry)) continue;
      digests.set(entry, [...(digests.get(entry) ?? []), message]);
    }
  }
  for (const entry of events) {
    if (entry.outcome === "refused") continue;
    const { least, most } = boundsOf(entry);
    const found = digests.get(entry) ?? [];
    judge.compared();
    if (found.length >= least && found.length <= most) continue;
    const ids = new Set(found.map(({ id }) => id));
    const where = ids.size < found.length ? `twice in one digest (${[...ids].join(", ")})` : `in ${ids.size} digests`;
    const about = {
      at: entry.answeredAt,
      detail: { environment, transactionId: entry.transactionId, digests: [...ids] },
    };
    judge.broken(
      `${entry.text} (${wordsOf(entry)}) is ${where} of ${person} (${as}), not in ${least === 1 ? 1 : "0 or 1"}`,
      about,
    );
  }
  for (const [entry, [message]] of digests) {
    if (entry.environment === environment && isFor(entry, person)) continue;
    judge.broken(`a digest of ${person} (${as}) has ${entry.text}, which is not for this person`, {
      at: message!.createdAt,
    });
  }
}
