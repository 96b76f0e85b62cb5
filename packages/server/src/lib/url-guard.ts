// Keeps outgoing connections away from our own network. Tenants choose the hosts we connect to (SMTP servers,
// webhooks, self-hosted chat), so every name is resolved here, every address it has is judged, and the caller connects
// to the address it is given: resolving again later would let the answer change in between.
import { BlockList, isIP } from "node:net";

export interface ResolvedHost {
  address: string;
  family: 4 | 6;
}

export interface UrlGuard {
  resolveHost(host: string): Promise<ResolvedHost>;
}

export interface UrlGuardOptions {
  /** Networks in CIDR notation that may be reached although they are not public. */
  allowNetworks: readonly string[];
  /** Every address a name has. It may remember them for a while: they are judged each time. */
  lookup: (host: string) => Promise<{ address: string }[]>;
}

/** The host has an address we do not connect to. The message names no address, so that it maps nobody's network. */
export class AddressRefused extends Error {
  readonly code = "ADDRESS_REFUSED";
  readonly host: string;

  constructor(host: string, kind: string) {
    super(
      isIP(host)
        ? `Connections to ${host} are refused: it is ${kind}`
        : `Connections to ${host} are refused: it resolves to ${kind}`,
    );
    this.name = "AddressRefused";
    this.host = host;
  }
}

export class HostUnresolved extends Error {
  readonly code = "HOST_UNRESOLVED";
  readonly host: string;

  constructor(host: string, cause?: unknown) {
    super(`The host ${host} cannot be resolved`, { cause });
    this.name = "HostUnresolved";
    this.host = host;
  }
}

export const createUrlGuard = ({ allowNetworks, lookup }: UrlGuardOptions): UrlGuard => {
  const allowed = networkSet(allowNetworks);

  const resolveHost = async (host: string): Promise<ResolvedHost> => {
    const name = canonicalHost(host);
    if (name === undefined) throw new HostUnresolved(host);
    const found = isIP(name) ? [{ address: name }] : await lookup(name).catch((cause) => unresolved(host, cause));
    const addresses = found.map(({ address }): ResolvedHost => ({ address, family: isIP(address) === 4 ? 4 : 6 }));
    // One bad address condemns the name: which of several answers gets used is not the tenant's to influence.
    for (const { address, family } of addresses) {
      const kind = allowed.has(address, family) ? undefined : kindOf(address, family);
      if (kind) throw new AddressRefused(host, kind);
    }
    // IPv4 first: a single pinned address cannot fall back when a machine has IPv6 in its DNS but not on its line.
    const chosen = addresses.find(({ family }) => family === 4) ?? addresses[0];
    if (!chosen) throw new HostUnresolved(host);
    return chosen;
  };

  return { resolveHost };
};

/** Networks from a list separated by commas or spaces. A lone address is a network of one. */
export const parseNetworks = (text: string): string[] =>
  text
    .split(/[\s,]+/)
    .filter(Boolean)
    .map((item) => {
      const { address, prefix } = parseNetwork(item);
      return `${address}/${prefix}`;
    });

const parseNetwork = (text: string): { address: string; family: 4 | 6; prefix: number } => {
  const [, address = "", prefixText] = /^([^/%]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const family = isIP(address);
  const bits = family === 4 ? 32 : 128;
  const prefix = prefixText === undefined ? bits : Number(prefixText);
  if ((family !== 4 && family !== 6) || prefix > bits) {
    throw new Error(`"${text}" is not a network: write it like 10.0.0.0/8, 192.168.1.5 or fd00::/8`);
  }
  return { address, family, prefix };
};

// Two lists, because a BlockList matches IPv4 addresses against IPv6 networks too: allowing ::/0 would allow 10.0.0.1.
const networkSet = (networks: readonly string[]) => {
  const lists = { 4: new BlockList(), 6: new BlockList() };
  for (const network of networks) {
    const { address, family, prefix } = parseNetwork(network);
    lists[family].addSubnet(address, prefix, family === 4 ? "ipv4" : "ipv6");
  }
  return {
    // A zone (fe80::1%eth0) is no part of the address.
    has: (address: string, family: 4 | 6): boolean =>
      lists[family].check(address.split("%")[0]!, family === 4 ? "ipv4" : "ipv6"),
  };
};

// IANA special-purpose registries for IPv4 and IPv6. The first match names the address.
const special = [
  { kind: "an unspecified address", networks: ["0.0.0.0/8", "::/128"] },
  { kind: "a loopback address", networks: ["127.0.0.0/8", "::1/128"] },
  { kind: "a private address", networks: ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7", "fec0::/10"] },
  { kind: "a link-local address", networks: ["169.254.0.0/16", "fe80::/10"] },
  { kind: "a carrier-grade NAT address", networks: ["100.64.0.0/10"] },
  { kind: "a multicast address", networks: ["224.0.0.0/4", "ff00::/8"] },
  // Mapped, compatible, translated, NAT64, 6to4 and Teredo: what is reached is the IPv4 address inside. A network that
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
const kindOf = (address: string, family: 4 | 6): string | undefined => {
  const kind = special.find(({ set }) => set.has(address, family))?.kind;
  if (kind) return kind;
  // Whatever IPv6 has not handed out yet is not a place to send mail to.
  return family === 6 && !globalUnicast.has(address, family) ? "a reserved address" : undefined;
};

/**
 * The host as a URL would read it: 2130706433, 0x7f.1 and 127.1 are 127.0.0.1, brackets and zones are gone.
 * Undefined when no URL could have it as its host.
 */
const canonicalHost = (host: string): string | undefined => {
  const bare = host.replace(/^\[(.*)\]$/, "$1").split("%")[0]!;
  if (isIP(bare)) return bare;
  if (!/^[^\s/:@?#\\[\]%]+$/.test(bare)) return undefined;
  return URL.parse(`http://${bare}/`)?.hostname || undefined;
};

const unresolved = (host: string, cause: unknown): never => {
  throw new HostUnresolved(host, cause);
};
