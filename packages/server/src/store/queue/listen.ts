// LISTEN/NOTIFY on its own connection, with reconnection. Notifications sent while the connection was down are lost, so
// every reconnection counts as a notification.
import pg from "pg";
import { DatabaseClient } from "../client.ts";
import { listenerName } from "./boss.ts";

export type Listener = {
  /**
   * A short query on the listening connection. Asked regularly, it also finds a connection that was lost without a
   * sign, as behind a firewall that forgets idle ones. Returns no rows while there is no connection.
   */
  query<Row extends pg.QueryResultRow>(text: string, values: unknown[]): Promise<Row[]>;
  /**
   * Sends a notification to all listeners of the channel, this process included. It is lost when the database crashes
   * at once.
   */
  notify(channel: string, text: string): Promise<void>;
  close(): Promise<void>;
};

export type ListenOptions = {
  url: string;
  /** By channel: called for every notification on it, and without a text after every (re)connection. */
  onNotify: Record<string, (text?: string) => void>;
  onError: (error: Error) => void;
  /** The name of the connection, unless it is the one by which processes are counted. */
  name?: string;
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

  const connect = async (): Promise<void> => {
    const next = new DatabaseClient({
      connectionString: options.url,
      application_name: options.name ?? listenerName,
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
      query_timeout: queryLimitMs,
    });
    let isLost = false;
    const reconnect = (error?: Error) => {
      if (isLost || isClosed) return;
      isLost = true;
      client = null;
      next.end().catch(() => {});
      if (error) options.onError(error);
      timer = setTimeout(() => void connect().catch(reconnect), retryMs);
      timer.unref();
      retryMs = Math.min(maxRetryMs, retryMs * 2);
    };
    next.on("error", reconnect);
    next.on("end", () => reconnect());
    next.on("notification", ({ channel, payload }) => options.onNotify[channel]?.(payload));
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
    if (isClosed) return void next.end().catch(() => {});
    client = next;
    loseConnection = reconnect;
    retryMs = firstRetryMs;
    for (const notify of Object.values(options.onNotify)) notify();
  };

  await connect();
  return {
    async query<Row extends pg.QueryResultRow>(text: string, values: unknown[]) {
      if (!client) return [];
      try {
        return (await client.query<Row>(text, values)).rows;
      } catch (error) {
        // A response of the server came over a connection that works.
        if (error instanceof pg.DatabaseError) throw error;
        loseConnection(error as Error);
        return [];
      }
    },
    async notify(channel, text) {
      if (!client) throw new Error("the connection is being restored");
      // Without a wait for the disk. The setting holds for this statement only.
      const statement = "select set_config('synchronous_commit', 'off', true), pg_notify($1, $2)";
      const sending = client;
      await client.query(statement, [channel, text]).catch((error: Error) => {
        if (sending === client && !(error instanceof pg.DatabaseError)) loseConnection(error);
        throw error;
      });
    },
    async close() {
      isClosed = true;
      if (timer) clearTimeout(timer);
      await client?.end();
    },
  };
}
