// Protection against server-side request forgery: outgoing connections never reach private networks. Tenants choose the
// hosts (SMTP servers, webhooks, self-hosted chat), so every name is resolved here, all its addresses are checked, and
// the caller connects to the returned address: a second lookup could return another one (DNS rebinding).
import { BlockList, isIP } from "node:net";

type ResolvedHost = { address: string; family: 4 | 6 };

export type UrlGuard = { resolveHost(host: string): Promise<ResolvedHost> };

export type UrlGuardOptions = {
  /** Networks in CIDR notation that may be reached although they are not public. */
  allowNetworks: readonly string[];
  /** All addresses of a name. It may cache them: they are checked on each call. */
  lookup: (host: string) => Promise<{ address: string }[]>;
};

/** The host has an address that is not allowed. The message does not name it, so that errors do not map the network. */
export class AddressRefusedError extends Error {
  readonly code = "ADDRESS_REFUSED";
  readonly host: string;

  constructor(host: string, kind: string) {
    const found = isIP(host) ? `it is ${kind}` : `it resolves to ${kind}`;
    super(`Connections to ${host} are refused: ${found}. The setting TIDINGS_ALLOW_NETWORKS allows such networks`);
    this.name = "AddressRefusedError";
    this.host = host;
  }
}

export class HostUnresolvedError extends Error {
  readonly code = "HOST_UNRESOLVED";
  readonly host: string;

  constructor(host: string, cause?: unknown) {
    super(`The host ${host} cannot be resolved`, { cause });
    this.name = "HostUnresolvedError";
    this.host = host;
  }
}

export function createUrlGuard({ allowNetworks, lookup }: UrlGuardOptions): UrlGuard {
  const allowed = networkSet(allowNetworks);

  async function resolveHost(host: string): Promise<ResolvedHost> {
    const name = canonicalHost(host);
    if (name === undefined) throw new HostUnresolvedError(host);
    const found = isIP(name) ? [{ address: name }] : await lookup(name).catch((cause) => refuseUnresolved(host, cause));
    const addresses = found.map(({ address }): ResolvedHost => ({ address, family: isIP(address) === 4 ? 4 : 6 }));
    // One address that is not allowed refuses the name: the tenant could otherwise influence which one is used.
    for (const { address, family } of addresses) {
      const kind = allowed.has(address, family) ? undefined : kindOf(address, family);
      if (kind) throw new AddressRefusedError(host, kind);
    }
    // IPv4 first: a pinned address has no fallback, and machines may resolve IPv6 addresses without an IPv6 route.
    const chosen = addresses.find(({ family }) => family === 4) ?? addresses[0];
    if (!chosen) throw new HostUnresolvedError(host);
    return chosen;
  }

  return { resolveHost };
}

/**
 * Why connections to a host that is written as an address are refused; undefined for an allowed one, and for a name,
 * which only a lookup can tell.
 */
export function refusedAddress(host: string, allowNetworks: readonly string[]): string | undefined {
  const name = canonicalHost(host) ?? "";
  const address = name === "localhost" || name.endsWith(".localhost") ? "127.0.0.1" : name;
  const family = isIP(address);
  if (family !== 4 && family !== 6) return undefined;
  return networkSet(allowNetworks).has(address, family) ? undefined : kindOf(address, family);
}

/** Networks from a list separated by commas or spaces. A lone address is a network of one. */
export const parseNetworks = (text: string): string[] =>
  text
    .split(/[\s,]+/)
    .filter(Boolean)
    .map((item) => {
      const { address, prefix } = parseNetwork(item);
      return `${address}/${prefix}`;
    });

export function parseNetwork(text: string): { address: string; family: 4 | 6; prefix: number } {
  const [, address = "", prefixText] = /^([^/%]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const family = isIP(address);
  const bits = family === 4 ? 32 : 128;
  const prefix = prefixText === undefined ? bits : Number(prefixText);
  if ((family !== 4 && family !== 6) || prefix > bits) {
    throw new Error(`"${text}" is not a network: write it like 10.0.0.0/8, 192.168.1.5 or fd00::/8`);
  }
  return { address, family, prefix };
}

// Two lists, because a BlockList matches IPv4 addresses against IPv6 networks too: allowing ::/0 would allow 10.0.0.1.
/** The address without its zone must be one of the family. */
export function networkSet(networks: readonly string[]) {
  const lists = { 4: new BlockList(), 6: new BlockList() };
  for (const network of networks) {
    const { address, family, prefix } = parseNetwork(network);
    lists[family].addSubnet(address, prefix, family === 4 ? "ipv4" : "ipv6");
  }
  return {
    // Without the zone (fe80::1%eth0), which is not part of the address.
    has: (address: string, family: 4 | 6): boolean =>
      lists[family].check(address.split("%")[0]!, family === 4 ? "ipv4" : "ipv6"),
  };
}

// IANA special-purpose registries for IPv4 and IPv6. The first match names the address.
const special = [
  { kind: "an unspecified address", networks: ["0.0.0.0/8", "::/128"] },
  { kind: "a loopback address", networks: ["127.0.0.0/8", "::1/128"] },
  { kind: "a private address", networks: ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7", "fec0::/10"] },
  { kind: "a link-local address", networks: ["169.254.0.0/16", "fe80::/10"] },
  { kind: "a carrier-grade NAT address", networks: ["100.64.0.0/10"] },
  { kind: "a multicast address", networks: ["224.0.0.0/4", "ff00::/8"] },
  // Mapped, compatible, translated, NAT64, 6to4 and Teredo: connections reach the IPv4 address inside. A network that
  // has only NAT64 can allow 64:ff9b::/96.
  {
    kind: "an IPv4 address inside an IPv6 one",
    networks: ["::/96", "::ffff:0:0/96", "::ffff:0:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48", "2002::/16", "2001::/32"],
  },
  {
    kind: "a reserved address",
    networks: [
      ...["192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24"],
      ...["240.0.0.0/4", "2001::/23", "2001:db8::/32", "3fff::/20"],
    ],
  },
].map(({ kind, networks }) => ({ kind, set: networkSet(networks) }));

const globalUnicast = networkSet(["2000::/3"]);

/** Why an address is not public, or undefined when it is. */
function kindOf(address: string, family: 4 | 6): string | undefined {
  const kind = special.find(({ set }) => set.has(address, family))?.kind;
  if (kind) return kind;
  // IPv6 addresses outside of global unicast are not assigned.
  return family === 6 && !globalUnicast.has(address, family) ? "a reserved address" : undefined;
}

/**
 * The host as a URL would read it: 2130706433, 0x7f.1 and 127.1 are 127.0.0.1, brackets and zones are gone.
 * Undefined when no URL could have it as its host.
 */
function canonicalHost(host: string): string | undefined {
  const bare = host.replace(/^\[(.*)\]$/, "$1").split("%")[0]!;
  if (isIP(bare)) return bare;
  if (!/^[^\s/:@?#\\[\]%]+$/.test(bare)) return undefined;
  return URL.parse(`http://${bare}/`)?.hostname || undefined;
}

function refuseUnresolved(host: string, cause: unknown): never {
  throw new HostUnresolvedError(host, cause);
}
