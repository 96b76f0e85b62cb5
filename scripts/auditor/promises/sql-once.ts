// Events by SQL: a transaction that was committed is accepted exactly once, one that was rolled back never, and one
// whose commit got no response at most once.
import { boundsOf, wordsOf } from "../compare.ts";
import type { Judge, PromiseCheck } from "../judge.ts";
import type { EventEntry } from "../ledger.ts";
import type { World } from "../world.ts";

export default {
  id: "sql-once",
  title: "An event by SQL happens exactly once if its transaction was committed, and never if it was rolled back",
  check(world, judge) {
    const events = [...world.ledger.events.values()].filter(({ operation }) => operation === "sql");
    if (events.length === 0) return;
    const seen = countMessages(world);
    for (const entry of events) checkEntry(world, judge, entry, seen.get(entry.text) ?? 0);
    if (!world.rows) judge.note("without the database: only messages that were seen");
  },
} satisfies PromiseCheck;

/** Messages that name the event, at clients and providers. */
function countMessages({ finals, deliveries, texts }: World): Map<string, number> {
  const counts = new Map<string, number>();
  const see = (text: string) => {
    for (const entry of texts.read(text).events) {
      if (entry.operation === "sql") counts.set(entry.text, (counts.get(entry.text) ?? 0) + 1);
    }
  };
  for (const { messages } of finals.inboxes.values()) for (const { text } of messages) see(text);
  for (const { text } of deliveries.messages.values()) see(text);
  return counts;
}

function checkEntry({ rows }: World, judge: Judge, entry: EventEntry, seen: number): void {
  const { text, outcome, answeredAt: at, to } = entry;
  const about = { at, detail: { environment: entry.environment, transactionId: entry.transactionId } };
  judge.compared();
  if (outcome === "refused" && seen > 0) {
    judge.broken(`${text} was rolled back, and was sent ${seen} times`, about);
  }
  if (seen > to.length)
    judge.broken(`${text} (${wordsOf(entry)}) was sent ${seen} times to ${to.length} people`, about);
  if (!rows) return;
  const found = rows.byText.get(text)?.length ?? 0;
  const least = outcome === "accepted" ? 1 : 0;
  const { most } = boundsOf(entry);
  if (found < least) judge.broken(`${text} was committed, and is no event`, about);
  if (found > most) {
    const what =
      outcome === "refused" ? "was rolled back" : outcome === "accepted" ? "was committed once" : "was sent once";
    judge.broken(`${text} ${what}, and is an event ${found === 1 ? "" : `${found} times`}`.trim(), about);
  }
}
