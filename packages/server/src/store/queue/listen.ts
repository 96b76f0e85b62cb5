// LISTEN/NOTIFY on its own connection, with reconnection. Notifications sent while the connection was down are lost, so
// every reconnection counts as a notification.
import pg from "pg";
import { DatabaseClient } from "../client.ts";
import { listenerName } from "./boss.ts";

export type Notification = { channel: string; text: string };

export type Listener = {
  /**
   * A short query on the listening connection. Asked regularly, it also finds a connection that was lost without a
   * sign, as behind a firewall that forgets idle ones. Returns no rows while there is no connection.
   */
  query<Row extends pg.QueryResultRow>(text: string, values: unknown[]): Promise<Row[]>;
  /**
   * Sends notifications to all listeners of their channels, this process included. They are lost when the database
   * crashes at once.
   */
  notify(notifications: Notification[]): Promise<void>;
  close(): Promise<void>;
};

export type ListenOptions = {
  url: string;
  /**
   * By channel: called for every notification on it, and without a text after every (re)connection. `isOwn`: this
   * listener sent it.
   */
  onNotify: Record<string, (text?: string, isOwn?: boolean) => void>;
  onError: (error: Error) => void;
  /** The name of the connection, unless it is the one by which processes are counted. */
  name?: string;
  /** The socket, where the host may not be looked up again (store/sources/connection.ts). */
  stream?: pg.ClientConfig["stream"];
};

const firstRetryMs = 250;
const maxRetryMs = 5_000;
const queryLimitMs = 5_000;

export async function listen(options: ListenOptions): Promise<Listener> {
  let client: pg.Client | null = null;
  let loseConnection: (error: Error) => void = () => {};
  let timer: NodeJS.Timeout | null = null;
  let retryMs = firstRetryMs;
  let isClosed = false;
  let connecting: Promise<void> = Promise.resolve();
  /** The driver takes one query at a time. */
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = last.then(work);
    last = turn.catch(() => {});
    return turn;
  };

  const connect = async (): Promise<void> => {
    const next = new DatabaseClient({
      connectionString: options.url,
      application_name: options.name ?? listenerName,
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
      query_timeout: queryLimitMs,
      stream: options.stream,
    });
    let isLost = false;
    const reconnect = (error?: Error) => {
      if (isLost) return;
      isLost = true;
      next.end().catch(() => {});
      if (isClosed) return;
      client = null;
      if (error) options.onError(error);
      timer = setTimeout(() => {
        connecting = connect().catch(reconnect);
      }, retryMs);
      timer.unref();
      retryMs = Math.min(maxRetryMs, retryMs * 2);
    };
    next.on("error", reconnect);
    next.on("end", () => reconnect());
    next.on("notification", ({ channel, payload, processId }) =>
      options.onNotify[channel]?.(payload, processId === (next as unknown as { processID: number }).processID),
    );
    try {
      await next.connect();
      // LISTEN has no parameters.
      for (const channel of Object.keys(options.onNotify)) {
        await next.query(`listen ${pg.escapeIdentifier(channel)}`);
      }
    } catch (error) {
      reconnect(error as Error);
      return;
    }
    if (isClosed) return next.end().catch(() => {});
    client = next;
    loseConnection = reconnect;
    retryMs = firstRetryMs;
    for (const notify of Object.values(options.onNotify)) notify();
  };

  const ask = async <Row extends pg.QueryResultRow>(text: string, values: unknown[]): Promise<Row[]> => {
    if (!client) throw new Error("the connection is being restored");
    const asked = client;
    try {
      return (await asked.query<Row>(text, values)).rows;
    } catch (error) {
      // A response of the server came over a connection that works.
      if (asked === client && !(error instanceof pg.DatabaseError)) loseConnection(error as Error);
      throw error;
    }
  };

  await connect();
  return {
    query: (text, values) =>
      inTurn(async () => {
        try {
          return await ask(text, values);
        } catch (error) {
          if (error instanceof pg.DatabaseError) throw error;
          return [];
        }
      }),
    async notify(notifications) {
      // Without a wait for the disk. The setting holds for this statement only.
      const statement = `select set_config('synchronous_commit', 'off', true), pg_notify(n.channel, n.text)
        from unnest($1::text[], $2::text[]) as n(channel, text)`;
      const channels = notifications.map(({ channel }) => channel);
      const texts = notifications.map(({ text }) => text);
      await inTurn(() => ask(statement, [channels, texts]));
    },
    async close() {
      isClosed = true;
      if (timer) clearTimeout(timer);
      // A connection that is being opened is closed as soon as it is open.
      await connecting;
      await client?.end();
    },
  };
}
