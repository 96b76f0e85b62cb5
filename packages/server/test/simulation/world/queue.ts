// The simulated queue: tasks in the simulated database, claims that lapse without a heartbeat, workers that fetch.
import type { Random } from "@tidings/testkit/load/random";
import { isDatabaseUnavailable } from "../../../src/store/faults.ts";
import { ClaimLostError, type Task, type TaskKind } from "../../../src/store/queue/claims.ts";
import type { NewTask, Queue } from "../../../src/store/queue/queue.ts";
import type { Disk, Transaction } from "./disk.ts";
import { type Process, running, type Schedule, type Timer } from "./schedule.ts";
import { connectionLost, openSession, roundTrip, statement, stored } from "./session.ts";
import { world } from "./world.ts";

export type TaskRow = {
  id: string;
  kind: TaskKind;
  data: Record<string, unknown>;
  state: "waiting" | "active";
  attempt: number;
  wasStarted: boolean;
  startAfter: number;
  heartbeat: number;
  group: string | null;
  environmentId: string | undefined;
  /** Who fetched it last; for the trace. */
  holder: string | null;
};

const heartbeatMs = 10_000;

/** The tasks of these kinds go to the workers of the simulation; the chores of the service do not exist in it. */
const kinds: ReadonlySet<TaskKind> = new Set(["trigger", "fanout", "wake", "deliver", "unsend", "release"]);

/** What the queues of all processes share: the numbers of tasks, and who waits for due ones. */
export type TaskBoard = ReturnType<typeof createTaskBoard>;

export function createTaskBoard(schedule: Schedule, random: Random) {
  const listeners: { process: Process; look: (kind: TaskKind) => void }[] = [];
  let alarm: { at: number; timer: Timer } | null = null;
  let last = 0;

  const setAlarm = (at: number): void => {
    if (alarm && alarm.at <= at) return;
    alarm?.timer.cancel();
    const ring = () => {
      alarm = null;
      takeOver();
      announce();
    };
    alarm = { at, timer: schedule.after(at - schedule.now(), null, ring) };
  };

  /** Claims without a heartbeat lapse. Rows that are locked are being finished. */
  const takeOver = (): void => {
    const { disk } = world();
    const now = schedule.now();
    const lapsed = disk
      .rows<TaskRow>("tasks")
      .filter((row) => row.state === "active" && row.heartbeat + heartbeatMs < now && !disk.isLocked("tasks", row.id));
    if (lapsed.length === 0) return;
    const tx = disk.begin(supervisor);
    for (const row of lapsed) {
      world().note(`the claim of ${row.holder} on ${row.id} (${row.kind}) lapses`);
      void tx.lock("tasks", [row.id]);
      const startAfter = now + 1_000 + random.below(2_000);
      tx.put("tasks", row.id, { ...row, state: "waiting", heartbeat: 0, startAfter });
    }
    world().record({
      tx: tx.number,
      name: "takeOver",
      args: [lapsed.map(({ id }) => id)],
      result: null,
      isLost: false,
    });
    disk.commit(tx);
  };

  /** Workers look for the tasks that are due; the others ring when they are. */
  const announce = (): void => {
    const now = schedule.now();
    const due = new Set<TaskKind>();
    let next = Number.POSITIVE_INFINITY;
    for (const row of world().disk.rows<TaskRow>("tasks")) {
      if (row.state === "active") next = Math.min(next, Math.max(now + 1_000, row.heartbeat + heartbeatMs + 1));
      else if (row.startAfter > now) next = Math.min(next, row.startAfter);
      else {
        due.add(row.kind);
        next = Math.min(next, now + 2_000);
      }
    }
    if (next < Number.POSITIVE_INFINITY) setAlarm(next);
    for (const kind of due) {
      for (const { process, look } of listeners) schedule.after(random.below(8), process, () => look(kind));
    }
  };

  return {
    newId: () => `task-${String(++last).padStart(6, "0")}`,
    listen: (process: Process, look: (kind: TaskKind) => void) => void listeners.push({ process, look }),
    announce,
  };
}

/**
 * Whether the process works on a task whose workers have ended several times: after a few more times the service sets
 * such a task aside (pipeline/set-aside.ts), which is meant for tasks that end their process themselves.
 */
export const hasSuspect = (disk: Disk, process: Process): boolean =>
  disk
    .rows<TaskRow>("tasks")
    .some(
      ({ state, holder, kind, attempt }) =>
        state === "active" && holder === process.name && attempt >= (kind === "deliver" || kind === "unsend" ? 12 : 3),
    );

const supervisor: Process = { name: "supervisor", isAlive: true, frozenUntil: 0 };

const held = (tx: Transaction, tasks: Task<unknown>[]): TaskRow[] =>
  tasks.flatMap(({ id, attempt }) => {
    const row = tx.get<TaskRow>("tasks", id);
    return row && row.state === "active" && row.attempt === attempt ? row : [];
  });

/** Locks the rows, and throws when another process holds one of them. */
async function requireClaims(tx: Transaction, kind: TaskKind, tasks: Task<unknown>[]): Promise<TaskRow[]> {
  await tx.lock("tasks", tasks.map(({ id }) => id).toSorted());
  const rows = held(tx, tasks);
  const names = tasks.map(({ id, attempt }) => `${id} (${attempt})`).join(", ");
  world().note(`${tx.process.name} has ${rows.length} of the ${kind} tasks ${names}`);
  if (rows.length === tasks.length) return rows;
  throw new ClaimLostError(
    `${tasks.length - rows.length} of ${tasks.length} ${kind} tasks are held by another process`,
  );
}

/** Returns their ids. */
const enqueue = statement("enqueue", async (tx, kind: TaskKind, tasks: NewTask[]): Promise<string[]> => {
  const now = world().schedule.now();
  const ids: string[] = [];
  for (const { data, startAfter, group = null, environmentId } of tasks) {
    const due = startAfter instanceof Date ? startAfter.getTime() : now + (startAfter ?? 0) * 1_000;
    const row: TaskRow = {
      id: world().tasks.newId(),
      kind,
      data: stored(data) as TaskRow["data"],
      state: "waiting",
      attempt: 0,
      wasStarted: false,
      startAfter: Math.max(now, due),
      heartbeat: 0,
      group,
      environmentId,
      holder: null,
    };
    await tx.insert("tasks", row.id, row);
    ids.push(row.id);
  }
  return ids;
});

const keep = statement("keep", async (tx, kind: TaskKind, tasks: Task<unknown>[]) => {
  const heartbeat = world().schedule.now();
  for (const row of await requireClaims(tx, kind, tasks)) {
    tx.put("tasks", row.id, { ...row, attempt: row.attempt + 1, heartbeat });
  }
});

const confirm = statement("confirm", async (tx, kind: TaskKind, tasks: Task<unknown>[]) => {
  await requireClaims(tx, kind, tasks);
});

const finish = statement("finish", async (tx, kind: TaskKind, tasks: Task<unknown>[]) => {
  for (const row of await requireClaims(tx, kind, tasks)) tx.put("tasks", row.id, null);
});

type Part = { task: Task<unknown>; part: string };

const finishParts = statement("finishParts", async (tx, kind: TaskKind, list: string, parts: Part[]) => {
  const groups = [...Map.groupBy(parts, ({ task: { id, attempt } }) => `${id} ${attempt}`).values()];
  const rows = await requireClaims(
    tx,
    kind,
    groups.map((own) => own[0]!.task),
  );
  for (const [index, own] of groups.entries()) {
    const row = rows[index]!;
    const done = new Set(own.map(({ part }) => part));
    const given = (own[0]!.task.data as Record<string, string[]>)[list]!;
    const stillThere = row.data[list] as string[];
    const left = stillThere.filter((part) => !done.has(part));
    if (own.length < given.length && own.some(({ part }) => !stillThere.includes(part))) {
      throw new ClaimLostError(`a part of ${row.id} was finished before`);
    }
    const isWhole = own.length === given.length || left.length === 0;
    tx.put("tasks", row.id, isWhole ? null : { ...row, data: { ...row.data, [list]: left } });
  }
});

const isBusy = statement(
  "isBusy",
  (tx, group: string) => tx.where<TaskRow>("tasks", (row) => row.group === group).length > 0,
);

const wakeHeld = statement(
  "wakeHeld",
  async (tx, { integrationIds, limit }: { integrationIds: readonly string[]; limit: number }) => {
    const now = world().schedule.now();
    const { disk } = world();
    const isHeld = ({ id, data, state, startAfter }: TaskRow) =>
      integrationIds.includes(String(data.heldBy)) &&
      state === "waiting" &&
      startAfter > now &&
      data.isReleased === undefined &&
      !disk.isLocked("tasks", id);
    const rows = await tx.lockWhere<TaskRow>("tasks", isHeld);
    for (const row of rows.slice(0, limit)) tx.put("tasks", row.id, { ...row, startAfter: now });
    return Math.min(rows.length, limit);
  },
);

type Loop = {
  kind: TaskKind;
  batchSize: number;
  most: number;
  busy: number;
  handle: (tasks: Task<never>[]) => Promise<void>;
};

/** The queue as one process has it. */
export function createQueue(process: Process, onError: (error: unknown) => void): Queue {
  const { schedule, random, faults, disk } = world();
  const loops = new Map<TaskKind, Loop>();
  const session = { process, tx: null };
  const db = openSession(session);
  const claims = new Map<string, { task: Task<unknown>; times: number }>();
  const batches = new Set<Task<unknown>[]>();
  let isBeating = false;

  /** Like the real one, it leaves out rows that are locked: those are being finished. */
  const beat = (): void => {
    const all = [...[...claims.values()].map(({ task }) => task), ...[...batches].flat()];
    if (all.length === 0) {
      isBeating = false;
      return;
    }
    const tx = disk.begin(process);
    for (const row of held(tx, all)) {
      if (disk.isLocked("tasks", row.id)) continue;
      void tx.lock("tasks", [row.id]);
      tx.put("tasks", row.id, { ...row, heartbeat: schedule.now() });
    }
    disk.commit(tx);
    schedule.after(heartbeatMs / 4, process, beat);
  };
  const startBeating = (): void => {
    if (isBeating) return;
    isBeating = true;
    schedule.after(heartbeatMs / 4, process, beat);
  };

  const fetch = statement("fetch", async (tx, kind: TaskKind, batchSize: number): Promise<Task<never>[]> => {
    const now = schedule.now();
    const due = tx.where<TaskRow>(
      "tasks",
      (row) => row.kind === kind && row.state === "waiting" && row.startAfter <= now && !disk.isLocked("tasks", row.id),
    );
    // The order of tasks is a matter of fairness, and no promise depends on it.
    const direction = random.chance(0.2) ? -1 : 1;
    due.sort((a, b) => (a.id < b.id ? -direction : direction));
    const taken = due.slice(0, batchSize);
    await tx.lock("tasks", taken.map(({ id }) => id).toSorted());
    if (taken.length > 0) world().note(`${process.name} fetches ${taken.map(({ id }) => id).join(", ")}`);
    return taken.map((row) => {
      const attempt = row.wasStarted ? row.attempt + 1 : row.attempt;
      const next: TaskRow = {
        ...row,
        state: "active",
        attempt,
        wasStarted: true,
        heartbeat: now,
        holder: process.name,
      };
      tx.put("tasks", row.id, next);
      return { id: row.id, attempt, data: stored(row.data) as never, environmentId: row.environmentId };
    });
  });

  const giveBack = statement("give back", async (tx, tasks: Task<never>[], isFree: boolean) => {
    await tx.lock("tasks", tasks.map(({ id }) => id).toSorted());
    const pause = (attempt: number) => (isFree ? 2_000 : Math.min(300_000, 1_000 * 2 ** Math.min(attempt, 9)));
    for (const row of held(tx, tasks)) {
      const startAfter = schedule.now() + pause(row.attempt);
      const wasStarted = !isFree;
      tx.put("tasks", row.id, { ...row, state: "waiting", wasStarted, startAfter, heartbeat: 0 });
    }
  });

  const work = async (loop: Loop, tasks: Task<never>[]): Promise<void> => {
    batches.add(tasks);
    startBeating();
    try {
      await loop.handle(tasks);
    } catch (error) {
      onError(error);
      await giveBack(db, tasks, isDatabaseUnavailable(error)).catch(() => {});
    } finally {
      batches.delete(tasks);
    }
  };

  const run = async (loop: Loop): Promise<void> => {
    loop.busy++;
    try {
      for (;;) {
        let tasks: Task<never>[];
        try {
          tasks = await fetch(db, loop.kind, loop.batchSize);
          // The response may be lost: then nobody works on the tasks until their claims lapse.
          if (tasks.length > 0 && faults.atCommit() === "unheard" && !hasSuspect(disk, process)) throw connectionLost();
        } catch {
          schedule.after(1_000, process, () => look(loop.kind));
          return;
        }
        if (tasks.length === 0) return;
        await work(loop, tasks);
      }
    } finally {
      loop.busy--;
    }
  };

  const look = (kind: TaskKind): void => {
    const loop = loops.get(kind);
    if (loop && loop.busy < loop.most) running.run(process, () => void run(loop));
  };

  return {
    async enqueue(tx, kind, tasks) {
      if (tasks.length > 0) await enqueue(tx, kind, tasks);
    },
    enqueueMissing: async () => {},
    async keep(tx, kind, tasks) {
      await keep(tx, kind, tasks);
      return tasks.map((task) => ({ ...task, attempt: task.attempt + 1 }));
    },
    confirm,
    hold(_kind, tasks) {
      for (const task of tasks) claims.set(task.id, { task, times: 1 + (claims.get(task.id)?.times ?? 0) });
      startBeating();
    },
    letGo(tasks) {
      for (const { id } of tasks) {
        const claim = claims.get(id);
        if (claim && --claim.times === 0) claims.delete(id);
      }
    },
    finish: async (tx, kind, tasks) => (tasks.length === 0 ? undefined : finish(tx, kind, tasks)),
    finishParts: async (tx, kind, list, parts) => (parts.length === 0 ? undefined : finishParts(tx, kind, list, parts)),
    isBusy,
    recall: async () => [],
    wakeHeld: (tx, _environmentId, selection) => wakeHeld(tx, selection),
    pause() {},
    work(kind, { batchSize }, handle) {
      if (!kinds.has(kind)) return;
      loops.set(kind, { kind, batchSize, most: 2, busy: 0, handle: handle as Loop["handle"] });
      schedule.after(random.below(20), process, () => look(kind));
      world().tasks.listen(process, (changed) => changed === kind && look(kind));
    },
    depth: async () => ({}),
    notify: async () => {},
    ping: () => roundTrip(session, "ping"),
    stop: async () => {},
  };
}
