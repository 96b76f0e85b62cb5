// The lock on a data folder: an advisory lock on its own connection. PostgreSQL releases it when the process of its
// holder ends, however that happens; a running service takes it again after the database restarted.
import { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";

// Any number that no other advisory lock of this database uses.
const lockKey = "7310302718542051";

export type Session = { client: pg.Client; socket: Socket };

export async function connect(port: number, password: string, database: string, user = "tidings"): Promise<Session> {
  const socket = new Socket();
  const address = { host: "127.0.0.1", port, user, password, database, ssl: false };
  const limits = { connectionTimeoutMillis: 10_000, query_timeout: 30_000, keepAlive: true };
  const client = new pg.Client({
    ...address,
    ...limits,
    application_name: "tidings data folder",
    stream: () => socket,
  });
  // A lost connection shows in "end" or in the failed query; without a listener the error would end the process.
  client.on("error", () => {});
  await client.connect().catch((error) => {
    socket.destroy();
    throw error;
  });
  return { client, socket };
}

/** The first column of the first row. */
export async function queryValue(session: Session, sql: string): Promise<unknown> {
  const { rows } = await session.client.query<unknown[]>({ text: sql, rowMode: "array" });
  return rows[0]?.[0];
}

/** The session that holds the lock, or undefined when another service has it. */
export async function takeLock(port: number, password: string): Promise<Session | undefined> {
  const session = await connect(port, password, "tidings");
  let locked: unknown;
  try {
    locked = await queryValue(session, `select pg_try_advisory_lock(${lockKey})`);
  } finally {
    if (!locked) session.socket.destroy();
  }
  return locked ? session : undefined;
}

export type Lock = {
  /** Stops taking the lock again. False when another service holds it by now, which then owns the server. */
  retire(): Promise<boolean>;
  release(): void;
};

type KeepOptions = {
  take: () => Promise<Session | undefined>;
  /** Starts the server again when it is gone. */
  revive: () => Promise<void>;
  progress: (message: string) => void;
};

/** Holds the lock while the service runs, and takes it again after the database restarted. */
export function keepLock(first: Session, { take, revive, progress }: KeepOptions): Lock {
  let held: Session | undefined;
  let retired = false;
  let released = false;
  let attempt: Promise<Session | undefined> | undefined;

  const hold = (session: Session | undefined) => {
    if (released) session?.socket.destroy();
    if (released || !session) return undefined;
    held = session;
    session.socket.unref();
    session.client.once("end", () => {
      held = undefined;
      void regain();
    });
    return session;
  };
  // One attempt at a time: a second attempt by this process would look like another service.
  const tryAgain = () => {
    attempt ??= take()
      .then(hold)
      .finally(() => {
        attempt = undefined;
      });
    return attempt;
  };
  const regain = async () => {
    for (let pause = 100; !retired && !held; pause = Math.min(pause * 2, 5_000)) {
      await delay(pause, undefined, { ref: false });
      if (retired) return;
      await revive().catch((error: Error) => progress(error.message));
      // An unreachable database is not reported here: every query reports it.
      const ours = await tryAgain().then(Boolean, () => undefined);
      if (ours === false && !retired)
        progress("Another service has taken the data folder while the database restarted");
    }
  };
  hold(first);
  return {
    retire: async () => {
      retired = true;
      return held !== undefined || (await tryAgain().then(Boolean, () => true));
    },
    release: () => {
      retired = released = true;
      held?.socket.destroy();
    },
  };
}
