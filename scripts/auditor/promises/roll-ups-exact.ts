// What is over an attention budget is an item of exactly one roll-up, sent or waiting, or is dropped: never both sent
// and held, never held twice, and never held for a roll-up that is missing, given up, or was sent without it.
import { boundsOf, wordsOf } from "../compare.ts";
import type { Judge, PromiseCheck } from "../judge.ts";
import { type EventEntry, keyOf } from "../ledger.ts";
import type { JobRow, MessageRow } from "../rows.ts";
import type { World } from "../world.ts";

export default {
  id: "roll-ups-exact",
  title: "Each event under a budget is sent, or held once for one roll-up, or dropped, and never two of these",
  check(world, judge) {
    const budgeted = [...world.ledger.events.values()].filter(({ promise }) => promise.kind === "budget");
    if (budgeted.length === 0) return;
    const own = countOwnMessages(world);
    const items = countItems(world);
    for (const entry of budgeted) {
      if (entry.outcome === "refused") continue;
      for (const person of entry.to) checkEntry(world, judge, { entry, person, own, items });
    }
    if (!world.rows) judge.note("without the database: what was dropped cannot be told from what was lost");
  },
} satisfies PromiseCheck;

type Counts = Map<string, number>;
const add = (counts: Counts, key: string) => void counts.set(key, (counts.get(key) ?? 0) + 1);

/** Messages at a provider whose text is one event and nothing else, by text and address. */
function countOwnMessages({ deliveries, ledger }: World): Counts {
  const counts: Counts = new Map();
  for (const { text, to } of deliveries.messages.values()) if (ledger.events.has(text)) add(counts, `${text} ${to}`);
  return counts;
}

/** Roll-ups that name the event, by text and person. */
function countItems({ deliveries, finals, texts, ledger, run }: World): Counts {
  const counts: Counts = new Map();
  const people = new Map(
    run.environments.flatMap(({ name, people: own }) =>
      own.flatMap(({ subscriberId, phone, email }) =>
        [phone, email].map((to) => [to, keyOf(name, subscriberId)] as const),
      ),
    ),
  );
  const addItems = (text: string, key: string) => {
    if (ledger.events.has(text)) return;
    for (const entry of texts.read(text).events)
      if (entry.promise.kind === "budget") add(counts, `${entry.text} ${key}`);
  };
  for (const [key, { messages }] of finals.inboxes) for (const { text } of messages) addItems(text, key);
  for (const { text, to } of deliveries.messages.values()) addItems(text, people.get(to) ?? to);
  return counts;
}

type Checked = { entry: EventEntry; person: string; own: Counts; items: Counts };

function checkEntry(world: World, judge: Judge, { entry, person, own, items }: Checked): void {
  const { environment, text, answeredAt: at } = entry;
  const { phone = "" } = findPerson(world, environment, person) ?? {};
  const sent = own.get(`${text} ${phone}`) ?? 0;
  const held = items.get(`${text} ${keyOf(environment, person)}`) ?? 0;
  judge.compared();
  if (held > 1) judge.broken(`${text} is in ${held} roll-ups of ${person}`, { at });
  if (held > 0 && sent > 0) judge.broken(`${text} was sent to ${person}, and is in a roll-up as well`, { at });
  if (!world.rows) return;
  const job = findJob(world, entry, person);
  const over = job?.codes.find((code) => code === "attention_rolled_up" || code === "attention_dropped");
  if (over && sent > 0) judge.broken(`${text} was sent to ${person}, and its job says ${over}`, { at });
  // Retracted before its roll-up was sent.
  const isTakenOut = job?.status === "canceled" && boundsOf(entry).least === 0;
  if (over === "attention_rolled_up" && held === 0 && !isTakenOut) {
    const what = whyNeverSent(world, { entry, person, job: job! });
    if (what) judge.broken(`${text} was held for ${person}, ${what}`, { at });
  }
  if (over === "attention_dropped" && held > 0) judge.broken(`${text} was dropped, and is in a roll-up`, { at });
  if (!over && sent === 0 && !hasMessage(world, entry, person) && boundsOf(entry).least === 1) {
    judge.broken(`${text} (${wordsOf(entry)}) was neither sent to ${person} nor held nor dropped`, { at });
  }
}

type Held = { entry: EventEntry; person: string; job: JobRow };

/** Why an item that no roll-up names is never sent. Null if its roll-up waits, or is the subject of another promise. */
function whyNeverSent({ rows }: World, { entry, person, job }: Held): string | null {
  if (!job.rollUp) return "without a roll-up";
  const rollUp = rows!.rollUps.get(job.rollUp);
  if (!rollUp || rollUp.environment !== entry.environment) return "for a roll-up that does not exist";
  const run = rows!.runs.get(rollUp.id)?.find((one) => one.person === person);
  const step = run?.jobs.find(({ type }) => type === job.type);
  if (!run || !step) return "for a roll-up without a run";
  const message = messagesByRun(rows!.messages).get(run.id);
  // What is not sent, or was given up as a dead letter, is the promise of each message.
  if (message) return message.status === "sent" ? "and its roll-up was sent without it" : null;
  if (step.status === "pending" || step.status === "queued" || step.status === "delayed") return null;
  // The person or a client has undone all of its items.
  return boundsOf(entry).least === 0 ? null : `and its roll-up is ${step.status}`;
}

const indexes = new WeakMap<object, Map<string, MessageRow>>();

/** Messages to providers by run: a roll-up has one. */
function messagesByRun(messages: Map<string, MessageRow>): Map<string, MessageRow> {
  const known = indexes.get(messages);
  if (known) return known;
  const index = new Map<string, MessageRow>();
  for (const message of messages.values()) if (message.channel !== "in_app") index.set(message.runId, message);
  indexes.set(messages, index);
  return index;
}

export const findPerson = ({ run }: World, environment: string, person: string) =>
  run.environments.find(({ name }) => name === environment)?.people.find(({ subscriberId }) => subscriberId === person);

const channels = new Set(["sms", "email", "in_app"]);

function findJob({ rows }: World, { text }: EventEntry, person: string): JobRow | undefined {
  const [event] = rows!.byText.get(text) ?? [];
  const found = event && rows!.runs.get(event.id)?.find((run) => run.person === person);
  return found?.jobs.find(({ type }) => channels.has(type));
}

/** A message that waits for its provider, or was given up, is another promise. */
function hasMessage({ rows }: World, { text }: EventEntry, person: string): boolean {
  const [event] = rows!.byText.get(text) ?? [];
  const run = event && rows!.runs.get(event.id)?.find((one) => one.person === person);
  return run?.jobs.some(({ type, codes }) => channels.has(type) && codes.includes("message_created")) ?? false;
}
