// In-app messages exist exactly once: in the list that clients read, and as rows.
import { boundsOf, isFor, tally, wordsOf } from "../compare.ts";
import type { Judge, PromiseCheck } from "../judge.ts";
import type { EventEntry } from "../ledger.ts";
import type { World } from "../world.ts";

const kinds = new Set(["in_app", "delay", "wait"]);
const isOwn = ({ promise }: EventEntry): boolean => kinds.has(promise.kind);

export default {
  id: "in-app-once",
  title: "Each accepted event is exactly once in the inbox of each of its people",
  check(world, judge) {
    const { wanted, finals, rows } = world;
    const people = new Set([...wanted.keys(), ...finals.inboxes.keys()]);
    let unread = 0;
    for (const key of people) {
      const events = (wanted.get(key) ?? []).filter(isOwn);
      const inbox = finals.inboxes.get(key);
      if (inbox) checkList(world, judge, { key, events, texts: inbox.messages.map(({ text }) => text), as: "inbox" });
      else if (events.length > 0) unread++;
      if (!rows) continue;
      const listed = (rows.byPerson.get(key) ?? []).filter(({ status }) => status === "sent");
      checkList(world, judge, { key, events, texts: listed.map(({ text }) => text), as: "rows" });
    }
    if (unread > 0) judge.note(`${unread} inboxes were not read at the end`);
    if (!rows) judge.note("without the database: only the lists of clients");
  },
} satisfies PromiseCheck;

type List = { key: string; events: EventEntry[]; texts: string[]; as: "inbox" | "rows" };

function checkList({ texts }: World, judge: Judge, { key, events, texts: found, as }: List): void {
  const mentions = found.flatMap((text) => texts.read(text).events.filter(isOwn));
  const counts = tally(mentions, ({ text }) => text);
  const [environment, person] = key.split(" ") as [string, string];
  for (const entry of events) {
    // Those that were refused are another promise.
    if (entry.outcome === "refused") continue;
    const { least, most } = boundsOf(entry);
    const count = counts.get(entry.text) ?? 0;
    const what = () =>
      `${entry.text} (${wordsOf(entry)}) is ${count} times in the ${as} of ${person}, not ${least === most ? least : "0 or 1"}`;
    const about = { at: entry.answeredAt, detail: { environment, transactionId: entry.transactionId } };
    judge.expect(count >= least && count <= most, what, about);
  }
  for (const entry of new Set(mentions)) {
    if (entry.environment === environment && !isFor(entry, person)) {
      judge.broken(`${entry.text} is in the ${as} of ${person}, whom it was not for`, { at: entry.answeredAt });
    }
  }
}
