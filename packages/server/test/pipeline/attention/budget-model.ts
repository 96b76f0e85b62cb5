// An interpreter of attention budgets for one channel, which shares no code with the service: it plays messages in the
// order of time, keeps who waits in a list, and finds local times by trying minute after minute.
import type { AttentionBudget, BudgetedClass } from "@tidings/contract";

export type Happening =
  | {
      at: number;
      kind: "message";
      person: string;
      workflow: string;
      messageClass: BudgetedClass | "critical";
      title: string;
    }
  | { at: number; kind: "switch"; person: string; workflow: string; isOn: boolean };

type Waiter = {
  id: number;
  messageClass: BudgetedClass;
  since: number;
  retryAt: number;
  title: string;
  items?: { title: string; workflow: string }[];
};

type Person = {
  sent: { at: number; messageClass: BudgetedClass }[];
  line: Waiter[];
  rollUp: Waiter | null;
  off: Set<string>;
};

/** `<time> <person> <title>` of everything that is sent; of a roll-up the titles of its items. */
export function interpretBudgets(
  budgets: AttentionBudget[],
  happenings: Happening[],
  zones: Record<string, string>,
  end: number,
) {
  const sent: string[] = [];
  const held = { rolledUp: 0, rollUps: 0, delayed: 0, dropped: 0 };
  const people = new Map<string, Person>();
  const of = (name: string): Person => {
    if (!people.has(name)) people.set(name, { sent: [], line: [], rollUp: null, off: new Set() });
    return people.get(name)!;
  };
  let ids = 0;

  /** Null: there is a place. */
  const refusal = (name: string, who: Waiter, at: number) => {
    const { sent: before, line } = of(name);
    const rank = (one: BudgetedClass) => (one === "transactional" ? 0 : 1);
    const full = budgets
      .filter(({ classes }) => classes!.includes(who.messageClass))
      .flatMap((budget) => {
        const ends = before
          .filter(({ messageClass }) => budget.classes!.includes(messageClass))
          .map((one) => later(one.at, budget.window, zones[name]!))
          .filter((time) => time > at)
          .sort((a, b) => a - b);
        const ahead = line.filter(
          (one) =>
            one !== who &&
            budget.classes!.includes(one.messageClass) &&
            (rank(one.messageClass) < rank(who.messageClass) ||
              (one.messageClass === who.messageClass && one.since < who.since)),
        );
        if (ends.length + ahead.length < budget.limit) return [];
        const next = ends[Math.max(ends.length - budget.limit, 0)] ?? later(at, budget.window, zones[name]!);
        return [{ budget, next }];
      });
    return full.length === 0 ? null : { budget: full[0]!.budget, next: Math.max(...full.map(({ next }) => next)) };
  };

  const leave = (name: string, who: Waiter) => {
    const person = of(name);
    person.line = person.line.filter((one) => one !== who);
    if (person.rollUp === who) person.rollUp = null;
  };

  const deliver = (name: string, who: Waiter, at: number, items?: Waiter["items"]) => {
    of(name).sent.push({ at, messageClass: who.messageClass });
    leave(name, who);
    if (items) held.rollUps++;
    const titles = items?.map(({ title }) => title) ?? [who.title];
    sent.push(`${at} ${name} ${titles.join("; ")}`);
  };

  const retry = (name: string, who: Waiter, at: number) => {
    const person = of(name);
    const wanted = who.items?.filter(({ workflow }) => !person.off.has(workflow));
    if (wanted?.length === 0) return leave(name, who);
    const no = refusal(name, who, at);
    if (no) who.retryAt = no.next;
    else deliver(name, who, at, wanted);
  };

  const arrive = ({ at, person: name, workflow, messageClass, title }: Extract<Happening, { kind: "message" }>) => {
    const person = of(name);
    if (person.off.has(workflow)) return;
    if (messageClass === "critical") return void sent.push(`${at} ${name} ${title}`);
    const who: Waiter = { id: ids++, messageClass, since: at, retryAt: at, title };
    const no = refusal(name, who, at);
    if (!no) return deliver(name, who, at);
    const { overflow, rollUpAt } = no.budget;
    if (overflow === "drop") return void held.dropped++;
    if (overflow === "delay") {
      held.delayed++;
      who.retryAt = no.next;
      return void person.line.push(who);
    }
    held.rolledUp++;
    if (!person.rollUp) {
      person.rollUp = {
        ...who,
        title: "",
        items: [],
        retryAt: rollUpAt ? clockTime(at, rollUpAt, zones[name]!) : no.next,
      };
      person.line.push(person.rollUp);
    }
    person.rollUp.items!.push({ title, workflow });
    if (messageClass === "transactional") person.rollUp.messageClass = "transactional";
  };

  const queue = [...happenings].sort((a, b) => a.at - b.at);
  for (;;) {
    const waiting = [...people].flatMap(([name, { line }]) => line.map((who) => ({ name, who })));
    const first = waiting.toSorted((a, b) => a.who.retryAt - b.who.retryAt || a.who.since - b.who.since)[0];
    const next = queue[0];
    if (first && first.who.retryAt <= Math.min(next?.at ?? end, end)) retry(first.name, first.who, first.who.retryAt);
    else if (next && next.at <= end) {
      queue.shift();
      if (next.kind === "message") arrive(next);
      else if (next.isOn) of(next.person).off.delete(next.workflow);
      else of(next.person).off.add(next.workflow);
    } else return { sent: sent.toSorted(), held };
  }
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** The local time as `2026-03-29 02:30:00`. */
function local(at: number, zone: string): string {
  if (!formats.has(zone)) {
    const dates = { year: "numeric", month: "2-digit", day: "2-digit" } as const;
    const times = { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" } as const;
    formats.set(zone, new Intl.DateTimeFormat("sv-SE", { timeZone: zone, ...dates, ...times }));
  }
  return formats.get(zone)!.format(at);
}

/** The first moment after `from` whose local time is `wanted` or later, minute by minute. */
function firstAt(wanted: string, from: number, zone: string): number {
  const step =
    local(from, zone).slice(17) === wanted.slice(17)
      ? from
      : from + (Number(wanted.slice(17)) - Number(local(from, zone).slice(17))) * 1_000;
  for (let at = step; ; at += 60_000) if (local(at, zone) >= wanted) return at;
}

const day = 86_400_000;

/** As many hours later, or the same time as many days later. */
function later(at: number, { amount, unit }: AttentionBudget["window"], zone: string): number {
  if (unit === "hour") return at + amount * 3_600_000;
  const days = amount * (unit === "week" ? 7 : 1);
  const [date, time] = local(at, zone).split(" ");
  const wanted = `${new Date(Date.parse(`${date}T00:00:00Z`) + days * day).toISOString().slice(0, 10)} ${time}`;
  return firstAt(wanted, at + days * day - 3 * 3_600_000, zone);
}

/** The next time that the clock shows `time`. */
function clockTime(at: number, time: string, zone: string): number {
  const [date] = local(at, zone).split(" ");
  const today = firstAt(`${date} ${time}:00`, at - day, zone);
  if (today >= at) return today;
  const tomorrow = new Date(Date.parse(`${date}T00:00:00Z`) + day).toISOString().slice(0, 10);
  return firstAt(`${tomorrow} ${time}:00`, at - 3 * 3_600_000, zone);
}
