// A request that was refused for good has no effect anywhere, and there is no message of an event that no client sent.
import type { Judge, PromiseCheck } from "../judge.ts";
import type { EventEntry } from "../ledger.ts";
import type { World } from "../world.ts";

const isRefused = ({ outcome, operation }: EventEntry): boolean => outcome === "refused" && operation !== "sql";

export default {
  id: "unaccepted",
  title: "A refused request has no effect, and nothing is sent that was not asked for",
  check(world, judge) {
    for (const entry of world.ledger.events.values()) if (isRefused(entry)) judge.compared();
    const see = createObserver(world, judge);
    for (const { messages, person } of world.finals.inboxes.values()) {
      for (const { text, createdAt } of messages) see(text, createdAt, `in the inbox of ${person}`);
    }
    for (const { text, to, tries } of world.deliveries.messages.values()) see(text, tries[0]!.at, `sent to ${to}`);
    if (!world.rows) return judge.note("without the database: only what clients and providers saw");
    for (const { text, person, createdAt } of world.rows.messages.values()) see(text, createdAt, `a row of ${person}`);
    for (const { entry, createdAt, text } of world.rows.events.values()) {
      if (entry && isRefused(entry)) judge.broken(`${text} was refused, and is an event`, { at: createdAt });
    }
  },
} satisfies PromiseCheck;

function createObserver({ texts }: World, judge: Judge) {
  return (text: string, at: number, where: string) => {
    judge.compared();
    const { events, strangers } = texts.read(text);
    for (const stranger of strangers) judge.broken(`${stranger} is ${where}, and no client sent it`, { at });
    for (const entry of events) {
      if (isRefused(entry)) judge.broken(`${entry.text} was refused, and is ${where}`, { at });
    }
  };
}
