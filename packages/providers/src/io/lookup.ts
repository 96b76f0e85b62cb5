// The addresses behind a name. The name servers are asked directly (c-ares), because the machine's own way, getaddrinfo,
// holds one of libuv's four threads for as long as a name server keeps silent: a tenant with a dead one would hold up the
// calls of all others. The hosts file comes before them, as it does for the machine; the machine itself is asked for what it
// alone may know, a name of a search domain, on few enough threads that the others stay free.
//
// Answers are kept for half a minute, and a name is asked for once at a time.

import { lookup as askMachine, Resolver } from "node:dns/promises";
import { readFile } from "node:fs/promises";
import { isIP } from "node:net";
import { createCache } from "./cache.ts";
import { createPlaces, type Places } from "./places.ts";

export type Lookup = (host: string) => Promise<{ address: string }[]>;

const keepMs = 30_000;

/** How long a name waits until the machine can be asked for it. */
const waitMs = 3000;

export interface LookupOptions {
  /** A new one for each question: it reads the machine's settings when it is made, and those change. */
  nameServers?: () => Pick<Resolver, "resolve4" | "resolve6">;
  machine?: Lookup;
  /** The text of the hosts file. */
  hosts?: () => Promise<string>;
  now?: () => Date;
}

export const createLookup = ({
  nameServers = () => new Resolver({ timeout: 1000, tries: 2 }),
  machine = (host) => askMachine(host, { all: true }),
  hosts = () => readFile(hostsFile, "utf8"),
  now = () => new Date(),
}: LookupOptions = {}): Lookup => {
  const { cached } = createCache(now, 0);
  // Two lines: a name of this machine does not wait for those that nobody knows.
  const [near, far] = [createPlaces(1, waitMs, tookTooLong), createPlaces(2, waitMs, tookTooLong)];

  const inTurn = async (places: Places, host: string) => {
    await places.take();
    return machine(host).finally(places.leave);
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
};

const hostsFile = process.platform === "win32" ? "C:\\Windows\\System32\\drivers\\etc\\hosts" : "/etc/hosts";

/** Addresses by name, from lines of an address and its names. */
const parseHosts = (text: string): Map<string, { address: string }[]> => {
  const entries = text.split("\n").flatMap((line) => {
    const [address = "", ...names] = line.replace(/#.*/, "").trim().split(/\s+/);
    return isIP(address) ? names.map((name) => ({ name: name.toLowerCase(), address })) : [];
  });
  const byName = Map.groupBy(entries, ({ name }) => name);
  return new Map([...byName].map(([name, found]) => [name, found.map(({ address }) => ({ address }))]));
};

/** No name server outside has a say about these. */
const isNear = (host: string): boolean => !host.includes(".") || host.endsWith(".localhost");

const askNameServers = async (servers: Pick<Resolver, "resolve4" | "resolve6">, host: string) => {
  const answers = await Promise.allSettled([servers.resolve4(host), servers.resolve6(host)]);
  const found = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
  if (found.length === 0) throw new Error(`the name servers know no address of ${host}`);
  return found.map((address) => ({ address }));
};

/** It was not even asked for: nobody's fault but the moment's. */
export class LookupCrowded extends Error {}

const tookTooLong = (): Error => new LookupCrowded("too many names are looked up at this moment");
