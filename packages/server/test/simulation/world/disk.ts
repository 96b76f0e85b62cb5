// The simulated database: rows that transactions read and write as PostgreSQL has it at "read committed". A statement
// sees what is committed and what its own transaction wrote. Rows are locked until the transaction ends; who needs a
// locked row waits for it, and reads it again afterwards. A circle of waiting transactions ends with an error for the
// one that closed it.
import type { Process, Schedule, Timer } from "./schedule.ts";
import { world } from "./world.ts";

export type Row = Record<string, unknown>;

export type LockMode = "share" | "exclusive";

type Held = { mode: LockMode; holders: Set<Transaction> };

type Waiter = {
  tx: Transaction;
  key: string;
  mode: LockMode;
  resolve: () => void;
  reject: (error: Error) => void;
  timer: Timer;
};

/** An error with the code of PostgreSQL. */
export function databaseError(message: string, code: string): Error {
  return Object.assign(new Error(message), { code });
}

const lockTimeoutMs = 5_000;

export type Disk = ReturnType<typeof createDisk>;

/** `onCommit` gets the tables that a transaction has changed. */
export function createDisk(schedule: Schedule, onCommit: (tables: Set<string>) => void) {
  const tables = new Map<string, Map<string, Row>>();
  const locks = new Map<string, Held>();
  const waiters: Waiter[] = [];
  const open = new Set<Transaction>();
  let begun = 0;
  const tableOf = (name: string): Map<string, Row> => {
    const known = tables.get(name) ?? new Map<string, Row>();
    tables.set(name, known);
    return known;
  };
  const blockers = (tx: Transaction, key: string, mode: LockMode): Transaction[] => {
    const held = locks.get(key);
    if (!held || (held.mode === "share" && mode === "share")) return [];
    return [...held.holders].filter((holder) => holder !== tx);
  };
  const take = (tx: Transaction, key: string, mode: LockMode): void => {
    const held = locks.get(key);
    if (!held) locks.set(key, { mode, holders: new Set([tx]) });
    else {
      held.holders.add(tx);
      if (mode === "exclusive") held.mode = mode;
    }
    tx.locked.add(key);
  };
  const isDeadlock = (from: Transaction, key: string, mode: LockMode): boolean => {
    const seen = new Set<Transaction>();
    const queue = blockers(from, key, mode);
    for (let tx = queue.pop(); tx; tx = queue.pop()) {
      if (tx === from) return true;
      if (seen.has(tx)) continue;
      seen.add(tx);
      for (const waiter of waiters) if (waiter.tx === tx) queue.push(...blockers(tx, waiter.key, waiter.mode));
    }
    return false;
  };
  const wakeWaiters = (): void => {
    for (const waiter of [...waiters]) {
      if (blockers(waiter.tx, waiter.key, waiter.mode).length > 0) continue;
      take(waiter.tx, waiter.key, waiter.mode);
      waiters.splice(waiters.indexOf(waiter), 1);
      waiter.timer.cancel();
      schedule.after(0, waiter.tx.process, waiter.resolve);
    }
  };
  const end = (tx: Transaction): void => {
    tx.isOpen = false;
    open.delete(tx);
    for (const key of tx.locked) {
      const held = locks.get(key)!;
      held.holders.delete(tx);
      if (held.holders.size === 0) locks.delete(key);
    }
    for (const waiter of waiters.filter((one) => one.tx === tx)) {
      waiters.splice(waiters.indexOf(waiter), 1);
      waiter.timer.cancel();
    }
    wakeWaiters();
  };
  const rollback = (tx: Transaction): void => {
    world().record({ tx: tx.number, end: "rollback" });
    end(tx);
  };
  const lock = async (tx: Transaction, key: string, mode: LockMode): Promise<void> => {
    if (blockers(tx, key, mode).length === 0) return take(tx, key, mode);
    if (isDeadlock(tx, key, mode)) throw databaseError("deadlock detected", "40P01");
    await new Promise<void>((resolve, reject) => {
      const expire = () => {
        waiters.splice(waiters.indexOf(waiter), 1);
        reject(databaseError("canceling statement due to lock timeout", "55P03"));
      };
      const waiter: Waiter = {
        tx,
        key,
        mode,
        resolve,
        reject,
        timer: schedule.after(lockTimeoutMs, tx.process, expire),
      };
      waiters.push(waiter);
    });
  };
  return {
    begin(process: Process): Transaction {
      const tx = new Transaction(++begun, process, tableOf, lock);
      open.add(tx);
      return tx;
    },
    commit(tx: Transaction): void {
      const changed = new Set<string>();
      for (const [name, written] of tx.written) {
        const table = tableOf(name);
        if (written.size > 0) changed.add(name);
        for (const [key, row] of written) row === null ? table.delete(key) : table.set(key, row);
      }
      world().record({ tx: tx.number, end: "commit" });
      end(tx);
      if (changed.size > 0) onCommit(changed);
    },
    rollback,
    load(given: [table: string, key: string, row: Row][]): void {
      for (const [table, key, row] of given) tableOf(table).set(key, row);
    },
    /** The connections of a killed process are closed, and its transactions rolled back. */
    close(process: Process): void {
      for (const tx of [...open]) if (tx.process === process) rollback(tx);
    },
    rows: <R = Row>(name: string): R[] => [...tableOf(name).values()] as R[],
    openTransactions: () => open.size,
    locked: () => [...locks.keys()],
    isLocked: (table: string, key: string) => locks.has(`${table} ${key}`),
  };
}

/** One transaction; a statement outside of one has its own. */
export class Transaction {
  isOpen = true;
  readonly number: number;
  readonly process: Process;
  readonly locked = new Set<string>();
  readonly written = new Map<string, Map<string, Row | null>>();
  readonly #tableOf: (name: string) => Map<string, Row>;
  readonly #lock: (tx: Transaction, key: string, mode: LockMode) => Promise<void>;

  constructor(
    number: number,
    process: Process,
    tableOf: (name: string) => Map<string, Row>,
    lock: (tx: Transaction, key: string, mode: LockMode) => Promise<void>,
  ) {
    this.number = number;
    this.process = process;
    this.#tableOf = tableOf;
    this.#lock = lock;
  }

  get<R = Row>(table: string, key: string): R | undefined {
    const own = this.written.get(table)?.get(key);
    return (own === undefined ? this.#tableOf(table).get(key) : (own ?? undefined)) as R | undefined;
  }

  *entries<R = Row>(table: string): Generator<[string, R]> {
    const own = this.written.get(table);
    const committed = this.#tableOf(table);
    for (const [key, row] of committed) {
      const seen = own?.get(key);
      if (seen !== null) yield [key, (seen ?? row) as R];
    }
    if (own) for (const [key, row] of own) if (row !== null && !committed.has(key)) yield [key, row as R];
  }

  /** In no order. */
  where<R = Row>(table: string, matches: (row: R) => boolean): R[] {
    const found: R[] = [];
    for (const [, row] of this.entries<R>(table)) if (matches(row)) found.push(row);
    return found;
  }

  rows<R = Row>(table: string): R[] {
    return this.where<R>(table, () => true);
  }

  /** Waits for the lock of each key, in this order. */
  async lock(table: string, keys: Iterable<string>, mode: LockMode = "exclusive"): Promise<void> {
    for (const key of keys) await this.#lock(this, `${table} ${key}`, mode);
  }

  /** Locks the rows that match in the order of their keys, and returns those that match when they are locked. */
  async lockWhere<R = Row>(table: string, matches: (row: R) => boolean, mode: LockMode = "exclusive"): Promise<R[]> {
    const keys: string[] = [];
    for (const [key, row] of this.entries<R>(table)) if (matches(row)) keys.push(key);
    keys.sort();
    await this.lock(table, keys, mode);
    return keys.flatMap((key) => {
      const row = this.get<R>(table, key);
      return row && matches(row) ? [row] : [];
    });
  }

  /** The row has to be locked. */
  put(table: string, key: string, row: Row | null): void {
    if (!this.locked.has(`${table} ${key}`)) throw new Error(`${table} ${key} is written without its lock`);
    const own = this.written.get(table) ?? new Map<string, Row | null>();
    this.written.set(table, own);
    own.set(key, row);
  }

  /** Locks and changes the row, if it exists and still matches. */
  async change<R = Row>(
    table: string,
    key: string,
    changes: (row: R) => Partial<R> | undefined,
  ): Promise<R | undefined> {
    await this.lock(table, [key]);
    const row = this.get<R>(table, key);
    const changed = row && changes(row);
    if (!changed) return undefined;
    const next = { ...row, ...changed };
    this.put(table, key, next as Row);
    return next;
  }

  /** False when the key is taken, as with `on conflict do nothing`. */
  async insert(table: string, key: string, row: Row): Promise<boolean> {
    await this.lock(table, [key]);
    if (this.get(table, key)) return false;
    this.put(table, key, row);
    return true;
  }
}
