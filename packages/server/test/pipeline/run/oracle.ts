// A small model of the engine, written from docs/lifecycle.md and docs/trigger.md, that shares no code with it: what
// each subscriber receives, and when, of events that are digested, delayed, throttled and canceled. Times are in
// seconds.
export type ModelStep =
  | { type: "in_app" }
  | { type: "delay"; minutes: number }
  | { type: "digest"; minutes: number; isKeyed: boolean; lookBack: number | null }
  | { type: "throttle"; minutes: number; threshold: number };

/** `to`: people by name with the value they bring, or null; `isForTopic`: also everyone who is in the topic. */
export type ModelEvent = {
  n: number;
  workflow: number;
  key: string;
  to: Map<string, number | null>;
  isForTopic: boolean;
};

type Run = {
  event: ModelEvent;
  person: string;
  at: number;
  state: "going" | "waiting" | "merged" | "ended" | "canceled";
  due: number;
  /** What the subscriber was when the run started; null once the run has waited. */
  value: number | null | undefined;
  /** The events of each digest that this run has closed or passed, by step. */
  digested: Map<number, number[]>;
  followers: Map<number, Run[]>;
  leader: Run | null;
};

type Window = { leader: Run; due: number };

type Sent = { time: number; person: string; content: string };

export function createModel(workflows: ModelStep[][], members: string[]) {
  const runs: Run[] = [];
  const sent: Sent[] = [];
  const stored = new Map<string, number>();
  const windows = new Map<string, Window>();
  const passes = new Map<string, number>();
  const throttles = new Map<string, { until: number; granted: number }>();

  const groupOf = (run: Run, isKeyed: boolean): string =>
    [run.event.workflow, run.at, run.person, isKeyed ? run.event.key : ""].join(" ");

  /** The events that a run brings to a step: those of its latest digest, or its own. */
  const eventsOf = (run: Run, before: number): number[] => {
    const last = [...run.digested.keys()].filter((step) => step < before).toSorted((a, b) => b - a)[0];
    return last === undefined ? [run.event.n] : run.digested.get(last)!;
  };

  const waitUntil = (run: Run, due: number): void => {
    run.state = "waiting";
    run.due = due;
    run.value = undefined;
  };

  function advance(run: Run, now: number): void {
    const steps = workflows[run.event.workflow]!;
    run.state = "going";
    for (; run.at < steps.length; run.at++) {
      const step = steps[run.at]!;
      if (step.type === "in_app") send(run, steps, now);
      else if (step.type === "delay") waitUntil(run, now + step.minutes * 60);
      else if (step.type === "throttle" && !isGranted(run, step, now)) run.state = "ended";
      else if (step.type === "digest") passDigest(run, step, now);
      if (run.state !== "going") return;
    }
    run.state = "ended";
  }

  function send(run: Run, steps: ModelStep[], now: number): void {
    const value = run.value === undefined ? stored.get(run.person) : run.value;
    const isDigested = steps.slice(0, run.at).some(({ type }) => type === "digest");
    const list = isDigested ? eventsOf(run, run.at).join() : "";
    const content = `${run.event.workflow}.${run.at} ${run.event.n} v${value ?? ""} [${list}]`;
    sent.push({ time: now, person: run.person, content });
  }

  function isGranted(run: Run, step: Extract<ModelStep, { type: "throttle" }>, now: number): boolean {
    const group = groupOf(run, false);
    const open = throttles.get(group);
    const window = open && open.until > now ? open : { until: now + step.minutes * 60, granted: 0 };
    throttles.set(group, window);
    if (window.granted >= step.threshold) return false;
    window.granted++;
    return true;
  }

  function passDigest(run: Run, step: Extract<ModelStep, { type: "digest" }>, now: number): void {
    const group = groupOf(run, step.isKeyed);
    if (step.lookBack !== null) {
      const last = passes.get(group);
      passes.set(group, now);
      if (last === undefined || last < now - step.lookBack * 60) {
        run.digested.set(run.at, eventsOf(run, run.at));
        return;
      }
    }
    const open = windows.get(group);
    if (open) merge(run, open.leader);
    else {
      windows.set(group, { leader: run, due: now + step.minutes * 60 });
      waitUntil(run, now + step.minutes * 60);
    }
  }

  function merge(run: Run, leader: Run): void {
    run.state = "merged";
    run.leader = leader;
    leader.followers.set(run.at, [...(leader.followers.get(run.at) ?? []), run]);
  }

  /** What becomes due by this time, in order of time and then of arrival. */
  function moveTo(time: number): void {
    for (;;) {
      const waiting = runs.filter(({ state, due }) => state === "waiting" && due <= time);
      const now = Math.min(...waiting.map(({ due }) => due));
      const due = waiting.filter((run) => run.due === now).toSorted((a, b) => a.event.n - b.event.n);
      if (due.length === 0) return;
      for (const run of due) if (workflows[run.event.workflow]![run.at]!.type === "digest") closeDigest(run);
      for (const run of due) {
        run.at++;
        advance(run, now);
      }
    }
  }

  function closeDigest(run: Run): void {
    for (const [group, window] of windows) if (window.leader === run) windows.delete(group);
    const followers = run.followers.get(run.at) ?? [];
    const all = [run, ...followers].flatMap((one) => eventsOf(one, run.at));
    run.digested.set(
      run.at,
      all.toSorted((a, b) => a - b),
    );
  }

  function trigger(events: ModelEvent[], now: number): void {
    for (const event of events) {
      for (const [person, value] of event.to) if (value !== null) stored.set(person, value);
      const others = event.isForTopic ? members.filter((person) => !event.to.has(person)) : [];
      for (const person of [...event.to.keys(), ...others]) {
        const value = stored.get(person) ?? null;
        const blank = { digested: new Map(), followers: new Map(), leader: null, due: 0 };
        const run: Run = { event, person, at: 0, state: "going", value, ...blank };
        runs.push(run);
        advance(run, now);
      }
    }
  }

  /** Whether anything of the event was canceled. */
  function cancel(n: number, now: number): boolean {
    const canceled = runs.filter((run) => run.event.n === n && cancelRun(run));
    for (const run of canceled) handOver(run, now);
    return canceled.length > 0;
  }

  const isLeadingOpen = (run: Run): boolean => [...windows.values()].some(({ leader }) => leader === run);

  let left: { run: Run; state: Run["state"]; leader: Run | null }[] = [];

  function cancelRun(run: Run): boolean {
    const isInOpenDigest = run.state === "merged" && isLeadingOpen(run.leader!) && run.leader!.at === run.at;
    if (run.state !== "waiting" && !isInOpenDigest) return false;
    left = [...left.filter((one) => one.run !== run), { run, state: run.state, leader: run.leader }];
    if (run.leader) {
      const siblings = run.leader.followers.get(run.at)!;
      run.leader.followers.set(
        run.at,
        siblings.filter((one) => one !== run),
      );
    }
    run.state = "canceled";
    return true;
  }

  /** The oldest event of the first digest that has others takes the place of the canceled run, wherever that was. */
  function handOver(old: Run, _now: number): void {
    const { state, leader } = left.find(({ run }) => run === old)!;
    const steps = [...old.followers.keys()].filter((step) => old.followers.get(step)!.length > 0);
    const first = Math.min(...steps);
    const window = [...windows].find(([, one]) => one.leader === old);
    if (steps.length === 0) {
      if (window) windows.delete(window[0]);
      return;
    }
    const [heir, ...others] = old.followers.get(first)!.toSorted((a, b) => a.event.n - b.event.n) as [Run, ...Run[]];
    for (const [step, events] of old.digested) {
      if (step < first) continue;
      heir.digested.set(
        step,
        events.filter((n) => n !== old.event.n),
      );
    }
    heir.followers.set(first, others);
    for (const step of steps) if (step !== first) heir.followers.set(step, old.followers.get(step)!);
    for (const followers of heir.followers.values()) for (const one of followers) one.leader = heir;
    heir.leader = null;
    heir.at = old.at;
    if (window) window[1].leader = heir;
    if (state === "waiting") waitUntil(heir, old.due);
    else merge(heir, leader!);
  }

  return { trigger, moveTo, cancel, sent };
}
