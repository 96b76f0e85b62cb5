// Listens for announcements of the database (LISTEN/NOTIFY) on a connection of its own, and comes back by itself when
// the database was away. What was announced in between is lost, so every return counts as an announcement.
import pg from "pg";

export type Listener = { close(): Promise<void> };

export type ListenOptions = {
  url: string;
  /** By channel: called for every announcement on it, and without a text after every (re)connection. */
  announced: Record<string, (text?: string) => void>;
  onError: (error: Error) => void;
};

const firstRetryMs = 250;
const longestRetryMs = 5_000;

export async function listen(options: ListenOptions): Promise<Listener> {
  let client: pg.Client | null = null;
  let timer: NodeJS.Timeout | null = null;
  let retryMs = firstRetryMs;
  let isClosed = false;

  const connect = async (): Promise<void> => {
    const next = new pg.Client({
      connectionString: options.url,
      application_name: "tidings-listen",
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
    });
    let isLost = false;
    const lost = (error?: Error) => {
      if (isLost || isClosed) return;
      isLost = true;
      client = null;
      next.end().catch(() => {});
      if (error) options.onError(error);
      timer = setTimeout(() => void connect().catch(lost), retryMs);
      timer.unref();
      retryMs = Math.min(longestRetryMs, retryMs * 2);
    };
    next.on("error", lost);
    next.on("end", () => lost());
    next.on("notification", ({ channel, payload }) => options.announced[channel]?.(payload));
    try {
      await next.connect();
      // Channels are constants of ours; LISTEN takes no parameters.
      for (const channel of Object.keys(options.announced)) {
        await next.query(`listen ${pg.escapeIdentifier(channel)}`);
      }
    } catch (error) {
      lost(error as Error);
      return;
    }
    if (isClosed) return void next.end().catch(() => {});
    client = next;
    retryMs = firstRetryMs;
    for (const announced of Object.values(options.announced)) announced();
  };

  await connect();
  return {
    async close() {
      isClosed = true;
      if (timer) clearTimeout(timer);
      await client?.end();
    },
  };
}
