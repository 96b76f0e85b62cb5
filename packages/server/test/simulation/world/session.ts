// How the models of the store reach the simulated database: a `Db` stands for a process, or for its transaction. Every
// statement is an await at which others run first, and at which a failure may happen.
import type { Db } from "../../../src/store/db.ts";
import { ClaimLostError } from "../../../src/store/queue/claims.ts";
import { databaseError, type Transaction } from "./disk.ts";
import type { Process } from "./schedule.ts";
import { world } from "./world.ts";

export type Session = { process: Process; tx: Transaction | null };

const sessions = new WeakMap<object, Session>();

/** A statement without a model reaches this object and fails. */
export function openSession(session: Session): Db {
  const refuse = (_target: object, name: string | symbol) => {
    throw new Error(`the simulation has no model for a statement (${String(name)} of the database was read)`);
  };
  const db = new Proxy({}, { get: refuse });
  sessions.set(db, session);
  return db as unknown as Db;
}

export function sessionOf(db: Db): Session {
  const session = sessions.get(db);
  if (!session) throw new Error("not a session of the simulation");
  return session;
}

export const connectionLost = () => databaseError("Connection terminated unexpectedly", "08006");

/** One round trip to the database: others run, and the connection may be lost. */
export async function roundTrip({ process, tx }: Session, name: string): Promise<void> {
  const { schedule, faults } = world();
  const fault = faults.atStatement(process);
  await schedule.wait(fault.delayMs, process);
  if (tx && !tx.isOpen) throw connectionLost();
  if (!fault.isLost) return;
  world().note(`${process.name} loses its connection before ${name}`);
  if (tx) world().disk.rollback(tx);
  throw connectionLost();
}

async function perform<A extends unknown[], R>(
  tx: Transaction,
  name: string,
  body: (tx: Transaction, ...args: A) => R | Promise<R>,
  args: A,
): Promise<R> {
  const entry = { tx: tx.number, name, args };
  try {
    const result = await body(tx, ...args);
    // Callers add to the sets that they get.
    world().record({ ...entry, result: result instanceof Set ? new Set(result) : result, isLost: false });
    return result;
  } catch (error) {
    if (error instanceof ClaimLostError) world().record({ ...entry, result: null, isLost: true });
    throw error;
  }
}

/** A model of a function of the store: `body` runs in the transaction of the caller, or in its own. */
export const statement =
  <A extends unknown[], R>(name: string, body: (tx: Transaction, ...args: A) => R | Promise<R>) =>
  async (db: Db, ...args: A): Promise<R> => {
    const session = sessionOf(db);
    await roundTrip(session, name);
    if (session.tx) return await perform(session.tx, name, body, args);
    const { disk } = world();
    const tx = disk.begin(session.process);
    try {
      const result = await perform(tx, name, body, args);
      disk.commit(tx);
      return result;
    } catch (error) {
      disk.rollback(tx);
      throw error;
    }
  };

/** As `statement`, for functions that do nothing without rows. */
export const rowsStatement = <Rows extends readonly unknown[], A extends unknown[], R>(
  name: string,
  nothing: () => R,
  body: (tx: Transaction, rows: Rows, ...args: A) => R | Promise<R>,
) => {
  const run = statement(name, body);
  return async (db: Db, rows: Rows, ...args: A): Promise<R> => (rows.length === 0 ? nothing() : run(db, rows, ...args));
};

/** What a jsonb column gives back. */
export const stored = <T>(value: T): T =>
  value === null || typeof value !== "object" ? value : (JSON.parse(JSON.stringify(value)) as T);
