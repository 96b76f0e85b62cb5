// The right to a data folder: an advisory lock on a connection of its own. It vanishes with the process that holds it,
// however that ends, and is taken again when the database restarted under a living service.
import { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";

// Any number that nothing else in this database locks.
const LOCK_KEY = "7310302718542051";

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

export async function ask(session: Session, sql: string): Promise<unknown> {
  const { rows } = await session.client.query<unknown[]>({ text: sql, rowMode: "array" });
  return rows[0]?.[0];
}

/** The session that holds the lock, or undefined when another service has it. */
export async function takeLock(port: number, password: string): Promise<Session | undefined> {
  const session = await connect(port, password, "tidings");
  let locked: unknown;
  try {
    locked = await ask(session, `select pg_try_advisory_lock(${LOCK_KEY})`);
  } finally {
    if (!locked) session.socket.destroy();
  }
  return locked ? session : undefined;
}

export type Lock = {
  /** No more regaining. True unless another service has the lock by now, whose server this then is. */
  retire(): Promise<boolean>;
  release(): void;
};

type Keeping = {
  take: () => Promise<Session | undefined>;
  /** Starts the server again when it is gone. */
  revive: () => Promise<void>;
  progress: (message: string) => void;
};

/** Holds the lock for the life of the service, and takes it again when the database restarted under it. */
export function keepLock(first: Session, { take, revive, progress }: Keeping): Lock {
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
  // One at a time, or our own second attempt would look like another service.
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
      // Unreachable is no news: whoever uses the database notices that too.
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
