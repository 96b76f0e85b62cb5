// Which of several hosts a new connection goes to (lib/settings/database-url.ts). The last good host is asked first. A
// host that refuses, is silent or is not what the address asks for (a standby, for read-write) is passed over, and
// where only one host can be right, connections to all others are dropped as soon as it has been found. All connections
// of a thread to one address share what they know.
import type { Socket } from "node:net";
import pg from "pg";
import { type HostTarget, isWanted, parseDatabaseUrl, type ServerState } from "../lib/settings/database-url.ts";

type Host = { url: string; host: string; port: number };

export type Hosts = {
  /** The address of the first host alone, which the driver can read. */
  firstUrl: string;
  /** The host for a new connection. Asks hosts if the last good one was not seen within a second. */
  choose(): Promise<Host>;
  /** Throws unless the server behind this new connection is what the address asks for. */
  check(client: pg.Client, host: Host): Promise<void>;
  /** The next choice asks the hosts again. */
  doubt(): void;
  /** `drop` is called when the connection is to a host that is no longer the right one. Returns how to forget it. */
  watch(host: Host, drop: (error: Error) => void): () => void;
};

/** How long a host is good without being asked again. */
const trustedMs = 1_000;
/** The next host is asked when one is silent for this long. */
const headStartMs = 500;
/** Less than the five seconds that a pool waits for a connection. */
const probeMs = 3_000;

/** A server that accepts connections and is not the one that is wanted. The code is that of a write on a standby. */
class WrongHostError extends Error {
  readonly code = "25006";
}

const listsByUrl = new Map<string, Hosts | null>();

/** Null for an address of one host of any kind: there is nothing to choose. */
export function hostsOf(url: string): Hosts | null {
  if (!listsByUrl.has(url)) {
    const { urls, target } = parseDatabaseUrl(url);
    listsByUrl.set(url, urls.length === 1 && target === "any" ? null : createHosts(urls, target));
  }
  return listsByUrl.get(url)!;
}

function createHosts(urls: string[], target: HostTarget): Hosts {
  const hosts = urls.map((url): Host => {
    const { host, port } = new pg.Client({ connectionString: url });
    return { url, host, port };
  });
  const isOnlyOneRight = target === "read-write" || target === "primary";
  const watched = new Map<symbol, { host: Host; drop(error: Error): void }>();
  let current: Host | null = null;
  let confirmedAt = Number.NEGATIVE_INFINITY;
  let searching: Promise<Host> | null = null;

  const settleOn = (found: Host) => {
    const hasMoved = found !== current;
    current = found;
    confirmedAt = performance.now();
    if (!hasMoved || !isOnlyOneRight) return;
    const moved = new Error(`Connection terminated: the ${target} server is now ${nameOf(found)}`);
    for (const { host, drop } of watched.values()) if (host !== found) drop(moved);
  };
  const check: Hosts["check"] = async (client, host) => {
    if (!isWanted(target, await readState(client))) throw new WrongHostError(`${nameOf(host)} is not ${target}`);
  };
  const search = async (): Promise<Host> => {
    const order = current ? [current, ...hosts.filter((host) => host !== current)] : hosts;
    const found = await findFirst(order, (host) => probe(host, check));
    settleOn(found);
    return found;
  };
  return {
    firstUrl: urls[0]!,
    check,
    async choose() {
      if (current && performance.now() - confirmedAt < trustedMs) return current;
      searching ??= search().finally(() => {
        searching = null;
      });
      return searching;
    },
    doubt() {
      confirmedAt = Number.NEGATIVE_INFINITY;
    },
    watch(host, drop) {
      const key = Symbol();
      watched.set(key, { host, drop });
      return () => void watched.delete(key);
    },
  };
}

const nameOf = ({ host, port }: Host): string => `${host}:${port}`;

/** Asked by a query: a pooler reports the parameters of an earlier connection. */
async function readState(client: pg.Client): Promise<ServerState> {
  const { rows } = await client.query<ServerState>(
    `select pg_is_in_recovery() as "isInRecovery", current_setting('transaction_read_only') = 'on' as "isReadOnly"`,
  );
  return rows[0]!;
}

async function probe(host: Host, check: Hosts["check"]): Promise<void> {
  const client = new pg.Client({
    connectionString: host.url,
    application_name: "tidings-probe",
    connectionTimeoutMillis: probeMs,
    query_timeout: probeMs,
  });
  // An error after the check concerns nobody.
  client.on("error", () => {});
  const timer = setTimeout(() => destroyConnection(client, new Error("timeout expired")), probeMs);
  try {
    await client.connect();
    await check(client, host);
  } finally {
    clearTimeout(timer);
    client.end().catch(() => {});
  }
}

/** The socket of a client, which its types hide. TLS replaces it while the client connects. */
export const socketOf = (client: pg.Client) =>
  (client as unknown as { connection: { stream: Socket } }).connection.stream;

/** The driver takes it as a broken connection: queries fail, and a pool forgets the client. */
export const destroyConnection = (client: pg.Client, error: Error): void => void socketOf(client).destroy(error);

/** The first host that `ask` accepts. A silent one only delays the others. */
function findFirst(hosts: Host[], ask: (host: Host) => Promise<void>): Promise<Host> {
  return new Promise((resolve, reject) => {
    const reasons: Error[] = [];
    let asked = 0;
    let timer: NodeJS.Timeout | undefined;
    const settle = (finish: () => void) => {
      clearTimeout(timer);
      asked = hosts.length;
      finish();
    };
    const askNext = () => {
      clearTimeout(timer);
      const host = hosts[asked++];
      if (!host) return;
      timer = setTimeout(askNext, headStartMs);
      ask(host).then(
        () => settle(() => resolve(host)),
        (error: Error) => {
          reasons.push(error);
          if (reasons.length === hosts.length) settle(() => reject(noHost(hosts, reasons)));
          else askNext();
        },
      );
    };
    askNext();
  });
}

function noHost(hosts: Host[], reasons: Error[]): Error {
  if (hosts.length === 1) return reasons[0]!;
  const texts = reasons.map((reason) => reason.message || String((reason as { code?: string }).code));
  return new AggregateError(reasons, texts.join("; "));
}
