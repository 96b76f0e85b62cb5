// Transactions of the simulated database. A commit may be lost, and it may have happened without a response.
import type { Db, Tx } from "../../../src/store/db.ts";
import type { Row, Transaction } from "../world/disk.ts";
import { connectionLost, openSession, roundTrip, sessionOf } from "../world/session.ts";
import { world } from "../world/world.ts";

export * from "../../../src/store/db.ts";

const afterCommits = new WeakMap<Db, (() => void)[]>();

export async function inTransaction<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  const { process } = sessionOf(db);
  const { disk, faults } = world();
  await roundTrip({ process, tx: null }, "begin");
  const tx = disk.begin(process);
  const session = { process, tx };
  const inside = openSession(session) as Tx;
  const callbacks: (() => void)[] = [];
  afterCommits.set(inside, callbacks);
  let result: T;
  try {
    result = await work(inside);
    await roundTrip(session, "commit");
  } catch (error) {
    if (tx.isOpen) disk.rollback(tx);
    throw error;
  }
  const ending = faults.atCommit();
  if (ending === "lost") disk.rollback(tx);
  else disk.commit(tx);
  if (ending !== "kept") {
    world().note(`${process.name} loses its connection ${ending === "lost" ? "before" : "after"} a commit`);
    throw connectionLost();
  }
  await roundTrip({ process, tx: null }, "committed").catch(() => {});
  for (const callback of callbacks) callback();
  return result;
}

const maxTries = 3;

export async function inRepeatableTransaction<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await inTransaction(db, work);
    } catch (error) {
      if ((error as { code?: string }).code !== "40P01" || tries === maxTries) throw error;
    }
  }
}

export function afterCommit(db: Db, callback: () => void): void {
  const callbacks = afterCommits.get(db);
  if (callbacks) callbacks.push(callback);
  else callback();
}

const copyOf = ({ written }: Transaction): Map<string, Map<string, Row | null>> =>
  new Map([...written].map(([table, rows]) => [table, new Map(rows)]));

export async function inSavepoint<T>(db: Tx, _lockMs: number, work: () => Promise<T>): Promise<T> {
  const session = sessionOf(db);
  await roundTrip(session, "savepoint");
  const tx = session.tx!;
  const note = (name: string) => world().record({ tx: tx.number, name, args: [], result: null, isLost: false });
  note("savepoint");
  const before = copyOf(tx);
  try {
    return await work();
  } catch (error) {
    await roundTrip(session, "rollback to savepoint");
    note("rollback to savepoint");
    tx.written.clear();
    for (const [table, rows] of before) tx.written.set(table, rows);
    throw error;
  }
}
