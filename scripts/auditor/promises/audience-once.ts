// Topics and broadcasts: everyone who was in the audience gets the event once, and no other person does.
import { boundsOf, isFor } from "../compare.ts";
import type { Judge, PromiseCheck } from "../judge.ts";
import { type EventEntry, isUndone } from "../ledger.ts";
import type { World } from "../world.ts";

const isToMany = ({ topic, operation }: EventEntry): boolean =>
  topic !== undefined || operation === "topic" || operation === "broadcast";

export default {
  id: "audience-once",
  title: "An event to a topic or to everyone reaches each of these people once, and no others",
  check(world, judge) {
    const events = new Map(
      [...world.ledger.events].filter(([, entry]) => isToMany(entry) && entry.outcome !== "refused"),
    );
    if (events.size === 0) return;
    const reached = countInboxes(world, judge, events);
    for (const [text, entry] of events) {
      if (entry.promise.kind !== "in_app" && entry.promise.kind !== "delay") continue;
      const { least } = boundsOf(entry);
      const found = reached.get(text)?.size ?? 0;
      // An event of unknown outcome reaches everyone, or no person at all.
      const isWhole = found === entry.to.length || (least === 0 && (found === 0 || isUndone(entry)));
      const what = () => `${text} reached ${found} of ${entry.to.length} people`;
      judge.expect(isWhole, what, { at: entry.answeredAt, detail: { transactionId: entry.transactionId } });
    }
    if (!world.rows) return judge.note("without the database: only in-app messages");
    for (const text of events.keys()) {
      for (const { id } of world.rows.byText.get(text) ?? []) checkRuns(world, judge, events.get(text)!, id);
    }
  },
} satisfies PromiseCheck;

/** By text: the people who have it in their inbox. */
function countInboxes(
  { finals, texts }: World,
  judge: Judge,
  events: Map<string, EventEntry>,
): Map<string, Set<string>> {
  const reached = new Map<string, Set<string>>();
  for (const { messages, person, environment } of finals.inboxes.values()) {
    for (const message of messages) {
      for (const entry of texts.read(message.text).events) {
        if (!events.has(entry.text) || entry.environment !== environment) continue;
        const people = reached.get(entry.text) ?? new Set();
        const about = { at: message.createdAt, detail: { id: message.id } };
        if (people.has(person)) judge.broken(`${entry.text} reached ${person} twice`, about);
        if (!isFor(entry, person)) judge.broken(`${entry.text} reached ${person}, who is not in its audience`, about);
        reached.set(entry.text, people.add(person));
      }
    }
  }
  return reached;
}

function checkRuns({ rows }: World, judge: Judge, entry: EventEntry, eventId: string): void {
  const runs = rows!.runs.get(eventId) ?? [];
  const people = runs.map(({ person }) => person);
  const about = { at: entry.answeredAt, detail: { transactionId: entry.transactionId } };
  judge.expect(new Set(people).size === people.length, () => `a person has two runs of ${entry.text}`, about);
  const other = people.find((person) => person !== null && !isFor(entry, person));
  judge.expect(other === undefined, () => `${other} has a run of ${entry.text}, and is not in its audience`, about);
}
