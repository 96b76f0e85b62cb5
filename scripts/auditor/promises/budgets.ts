// Attention budgets: in no window does a person get more messages than the limit, by the rows (a place is taken when
// the message is created) and by what the provider saw. And nothing is held or dropped as long as there is a place.
import { movedClockMs, wasClockMoved } from "../compare.ts";
import { uuidIn } from "../deliveries.ts";
import type { WorkflowPromise } from "../evidence.ts";
import type { Judge, PromiseCheck } from "../judge.ts";
import { keyOf } from "../ledger.ts";
import type { World } from "../world.ts";

type Budget = Extract<WorkflowPromise, { kind: "budget" }>;
type Message = { at: number; takenAt: number | null; id: string };

export default {
  id: "budgets",
  title: "A person never gets more messages in a window than the budget allows",
  check(world, judge) {
    const budget = world.run.workflows.find(({ promise }) => promise.kind === "budget")?.promise as Budget | undefined;
    if (!budget) return;
    for (const [to, messages] of readDelivered(world)) {
      checkWindows(world, judge, { budget, who: `the provider of ${to}`, messages });
    }
    if (!world.rows) return judge.note("without the database: only what the provider saw");
    const taken = readTaken(world);
    for (const [key, messages] of taken) checkWindows(world, judge, { budget, who: `rows of ${key}`, messages });
    checkHeld(world, judge, budget, taken);
  },
} satisfies PromiseCheck;

function push<T>(map: Map<string, T[]>, key: string, item: T): void {
  const own = map.get(key);
  if (own) own.push(item);
  else map.set(key, [item]);
}

const isBudgeted = ({ texts }: World, text: string): boolean =>
  texts.read(text).events.some(({ promise }) => promise.kind === "budget");

/** By address: when each message first came. A message that waited for its provider has its place from before. */
function readDelivered(world: World): Map<string, Message[]> {
  const found = new Map<string, Message[]>();
  for (const { messageId, to, text, tries } of world.deliveries.messages.values()) {
    if (!isBudgeted(world, text)) continue;
    const row = world.rows?.messages.get(uuidIn(messageId) ?? "");
    push(found, to, { id: messageId, at: tries[0]!.at, takenAt: row?.createdAt ?? null });
  }
  return found;
}

/** By environment and person: when each message took its place. */
function readTaken(world: World): Map<string, Message[]> {
  const found = new Map<string, Message[]>();
  for (const { id, environment, person, channel, text, createdAt } of world.rows!.messages.values()) {
    if (channel === "in_app" || person === null || !isBudgeted(world, text)) continue;
    push(found, keyOf(environment, person), { id, at: createdAt, takenAt: createdAt });
  }
  return found;
}

type Windows = { budget: Budget; who: string; messages: Message[] };

function checkWindows(world: World, judge: Judge, { budget, who, messages }: Windows): void {
  const { limit, windowSeconds } = budget;
  const sorted = messages.toSorted((a, b) => a.at - b.at);
  for (const [index, last] of sorted.entries()) {
    judge.compared();
    const first = sorted[index - limit];
    if (!first || !isWithin(world, first.at, last.at, windowSeconds)) continue;
    // Places that were far enough from each other, and messages that were late.
    const [from, to] = [first.takenAt, last.takenAt];
    if (from !== null && to !== null && !isWithin(world, Math.min(from, to), Math.max(from, to), windowSeconds))
      continue;
    const seconds = ((last.at - first.at) / 1_000).toFixed(0);
    const what = `${who}: ${limit + 1} messages in ${seconds} s, with a budget of ${limit} in ${windowSeconds} s`;
    judge.broken(what, { at: last.at, detail: sorted.slice(index - limit, index + 1).map(({ id }) => id) });
  }
}

function isWithin(world: World, from: number, to: number, windowSeconds: number): boolean {
  const slack = wasClockMoved(world, from, to) ? movedClockMs : 0;
  return to - from < windowSeconds * 1_000 - slack;
}

const overCodes = new Set(["attention_dropped", "attention_rolled_up"]);

/** A place is taken before its message has its own time. */
const lateMs = 60_000;

/** What was held or dropped found all places taken. */
function checkHeld(world: World, judge: Judge, { limit, windowSeconds }: Budget, taken: Map<string, Message[]>): void {
  const { rows } = world;
  for (const event of rows!.events.values()) {
    if (event.entry?.promise.kind !== "budget") continue;
    for (const { person, jobs, environment, createdAt: at } of rows!.runs.get(event.id) ?? []) {
      if (!jobs.some(({ codes }) => codes.some((code) => overCodes.has(code)))) continue;
      const own = taken.get(keyOf(environment, person ?? "")) ?? [];
      const windowMs = windowSeconds * 1_000;
      const slack = wasClockMoved(world, at - windowMs - movedClockMs, at + movedClockMs) ? movedClockMs : 0;
      const before = own.filter((one) => one.at <= at + lateMs + slack && one.at > at - windowMs - slack).length;
      const what = () => `${event.text} was held back for ${person}, who had only ${before} of ${limit} messages`;
      judge.expect(before >= limit, what, { at });
    }
  }
}
