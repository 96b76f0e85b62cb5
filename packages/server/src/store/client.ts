// A connection to PostgreSQL, with what the driver lacks: the choice of a host (hosts.ts), a limit for silence of the
// server, and timeouts that hold behind a pooler.
import pg from "pg";
import { destroyConnection, type Hosts, hostsOf, socketOf } from "./hosts.ts";

export type ClientOptions = pg.ClientConfig & {
  /**
   * A server that is silent for this long while a query waits is gone: timeouts of PostgreSQL do not help against a
   * connection that was lost without a sign, and the system repeats packets for 15 minutes.
   */
  silenceMs?: number;
  /** Sent with every `begin`, in the same round trip: settings of the transaction. */
  beginWith?: string;
};

/** How often a silent connection is checked. */
const checkMs = 5_000;

/** PostgreSQL refuses a write: the server became a standby, or was closed for writes. */
const readOnlyCode = "25006";

type Query = (...args: unknown[]) => unknown;
type Callback = (error: Error | null, client?: pg.Client) => void;

export class DatabaseClient extends pg.Client {
  readonly #hosts: Hosts | null;
  #isBusy = false;
  /** A transaction that this service began as read-only refuses writes on any server. */
  #isReadOnlyWanted = false;

  constructor(options: ClientOptions) {
    const hosts = hostsOf(options.connectionString!);
    // The driver reads an address of one host, and connect() replaces that host.
    super(hosts ? { ...options, connectionString: hosts.firstUrl } : options);
    this.#hosts = hosts;
    // Where a host is checked, the owner of the client does not listen yet.
    if (hosts) this.on("error", () => {});
    this.#trackQueries(options.beginWith);
    this.once("connect", () => this.#limitSilence(options.silenceMs ?? Number.POSITIVE_INFINITY));
    const { connection } = this as unknown as { connection: NodeJS.EventEmitter };
    connection.on("errorMessage", ({ code }: { code?: string }) => {
      if (code !== readOnlyCode || this.#isReadOnlyWanted) return;
      hosts?.doubt();
      // After the query has got its error.
      setImmediate(() => destroyConnection(this, new Error("Connection terminated: the server is read-only")));
    });
  }

  override connect(): Promise<pg.Client>;
  override connect(callback: ((error: Error) => void) | ((error: null, client: pg.Client) => void)): void;
  override connect(callback?: unknown): Promise<pg.Client> | undefined {
    if (!this.#hosts) return super.connect(callback as never) as Promise<pg.Client> | undefined;
    const connecting = this.#connectTo(this.#hosts);
    if (!callback) return connecting;
    const call = callback as Callback;
    connecting.then(
      (client) => call(null, client),
      (error: Error) => call(error),
    );
    return undefined;
  }

  async #connectTo(hosts: Hosts): Promise<pg.Client> {
    const host = await hosts.choose();
    // The pool gave up in the meantime.
    if (socketOf(this).destroyed) throw new Error("timeout expired");
    Object.assign(this, { host: host.host, port: host.port });
    try {
      await super.connect();
      await hosts.check(this, host);
    } catch (error) {
      hosts.doubt();
      this.end().catch(() => {});
      throw error;
    }
    this.once(
      "end",
      hosts.watch(host, (error) => destroyConnection(this, error)),
    );
    return this;
  }

  #trackQueries(beginWith: string | undefined): void {
    const query = this.query.bind(this) as Query;
    const isBegin = (text: unknown) => typeof text === "string" && /^(begin|start transaction)/i.test(text);
    const tracked: Query = (text, ...rest) => {
      this.#isBusy = true;
      if (isBegin(text)) this.#isReadOnlyWanted = /read only/i.test(text as string);
      return query(beginWith && isBegin(text) ? `${text}; ${beginWith}` : text, ...rest);
    };
    this.query = tracked as typeof this.query;
    this.on("drain", () => {
      this.#isBusy = false;
    });
  }

  #limitSilence(limitMs: number): void {
    const socket = socketOf(this);
    let silentMs = 0;
    let bytesRead = 0;
    // The event comes once after the last activity; setting the timeout again makes it come again.
    socket.setTimeout(checkMs).on("timeout", () => {
      silentMs = this.#isBusy && socket.bytesRead === bytesRead ? silentMs + checkMs : checkMs;
      bytesRead = socket.bytesRead;
      if (!this.#isBusy) return;
      if (silentMs >= limitMs) return destroyConnection(this, new Error("Query read timeout: the server is silent"));
      // Drops this connection if another host is the right one by now.
      this.#hosts?.choose().catch(() => {});
      socket.setTimeout(checkMs);
    });
  }
}
