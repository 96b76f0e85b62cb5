// Resolves a name to addresses. The name servers are queried directly (c-ares), because getaddrinfo holds one of
// libuv's four threads until a name server responds: the silent name server of one tenant would delay the calls of all
// others. The hosts file is read first, as the machine does. getaddrinfo is used only for names that the machine alone
// may know, such as those of a search domain, and on so few threads that the others stay free.
//
// Results are cached for 30 seconds, and concurrent lookups of a name share one query.

import { lookup as askMachine, Resolver } from "node:dns/promises";
import { readFile } from "node:fs/promises";
import { isIP } from "node:net";
import { createCache } from "./cache.ts";
import { createSlots, type Slots } from "./slots.ts";

export type Lookup = (host: string) => Promise<{ address: string }[]>;

const keepMs = 30_000;

/** How long a name waits until the machine can be asked for it. */
const waitMs = 3000;

export type LookupOptions = {
  /** A new one for each query: it reads the machine's settings when it is created, and those change. */
  nameServers?: () => Pick<Resolver, "resolve4" | "resolve6">;
  machine?: Lookup;
  /** The text of the hosts file. */
  hosts?: () => Promise<string>;
  now?: () => Date;
};

export function createLookup({
  nameServers = () => new Resolver({ timeout: 1000, tries: 2 }),
  machine = (host) => askMachine(host, { all: true }),
  hosts = () => readFile(hostsFile, "utf8"),
  now = () => new Date(),
}: LookupOptions = {}): Lookup {
  const { cached } = createCache(now, 0);
  // Two queues, so that names of this machine do not wait for unknown names.
  const [near, far] = [createSlots(1, waitMs, busyError), createSlots(2, waitMs, busyError)];

  const inTurn = async (slots: Slots, host: string) => {
    await slots.acquire();
    return machine(host).finally(slots.release);
  };

  const keep = <T>(value: T) => ({ value, expiresAt: new Date(now().getTime() + keepMs) });
  // A machine without such a file has no names in it.
  const named = () => cached("\n", async () => keep(parseHosts(await hosts().catch(() => ""))));

  const ask = async (host: string): ReturnType<Lookup> => {
    const own = (await named()).get(host.toLowerCase());
    if (own) return own;
    return isNear(host) ? inTurn(near, host) : askNameServers(nameServers(), host).catch(() => inTurn(far, host));
  };

  return (host) => cached(host, async () => keep(await ask(host)));
}

const hostsFile = process.platform === "win32" ? "C:\\Windows\\System32\\drivers\\etc\\hosts" : "/etc/hosts";

/** Addresses by name, from lines of an address and its names. */
function parseHosts(text: string): Map<string, { address: string }[]> {
  const entries = text.split("\n").flatMap((line) => {
    const [address = "", ...names] = line.replace(/#.*/, "").trim().split(/\s+/);
    return isIP(address) ? names.map((name) => ({ name: name.toLowerCase(), address })) : [];
  });
  const byName = Map.groupBy(entries, ({ name }) => name);
  return new Map([...byName].map(([name, found]) => [name, found.map(({ address }) => ({ address }))]));
}

/** No name server outside has a say about these. */
const isNear = (host: string): boolean => !host.includes(".") || host.endsWith(".localhost");

async function askNameServers(servers: Pick<Resolver, "resolve4" | "resolve6">, host: string) {
  const answers = await Promise.allSettled([servers.resolve4(host), servers.resolve6(host)]);
  const found = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
  if (found.length === 0) throw new Error(`the name servers know no address of ${host}`);
  return found.map((address) => ({ address }));
}

/** The lookup was not started because too many others are waiting. Says nothing about the host. */
export class LookupBusyError extends Error {}

const busyError = (): Error => new LookupBusyError("too many names are looked up at this moment");
