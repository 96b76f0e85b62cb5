// The address of a PostgreSQL server, or of several, one of which is the primary, as libpq writes it:
// postgres://user:password@one:5432,two:5432/tidings?target_session_attrs=read-write. Neither URL nor the driver reads
// several hosts, so the address is divided into one for each host.

const targets = ["any", "read-write", "primary", "read-only", "standby"] as const;
/** Which of the hosts is wanted. */
export type HostTarget = (typeof targets)[number];

export type DatabaseAddress = {
  /** An address for each host, in the order of the setting. */
  urls: string[];
  target: HostTarget;
  /** Hosts and database, for people: without user and password. */
  name: string;
};

const maxHosts = 10;

/** Throws what is wrong with the address, without the address: it contains a password. */
export function parseDatabaseUrl(text: string): DatabaseAddress {
  const scheme = ["postgres://", "postgresql://"].find((start) => text.startsWith(start));
  if (scheme === undefined) throw new Error("must start with postgres:// or postgresql://");
  const [authority, rest] = splitBefore(text.slice(scheme.length), /[/?#]/);
  // A password may contain an @, as URL reads it.
  const userEnd = authority.lastIndexOf("@") + 1;
  const hosts = authority.slice(userEnd).split(",");
  if (hosts.length > maxHosts) throw new Error(`must not have more than ${maxHosts} hosts`);
  if (hosts.length > 1 && hosts.includes("")) throw new Error("has an empty host between its commas");
  const urls = hosts.map((host) => `${scheme}${authority.slice(0, userEnd)}${host}${rest}`);
  // The driver reads what URL does not: postgres://user@/database?host=/run/postgresql.
  const wrong = hosts.length > 1 ? urls.findIndex((url) => !URL.canParse(url)) : -1;
  if (wrong >= 0) throw new Error(`has a host that is not an address: ${hosts[wrong]}`);
  const query = rest.includes("?") ? new URLSearchParams(rest.slice(rest.indexOf("?"))) : new URLSearchParams();
  const target = (query.get("target_session_attrs") ?? "any") as HostTarget;
  if (!targets.includes(target)) throw new Error(`has a target_session_attrs that is none of: ${targets.join(", ")}`);
  return { urls, target, name: `${hosts.join(",")}${splitBefore(rest, /[?#]/)[0]}` };
}

/** The text before the first such character, and from there on. */
function splitBefore(text: string, character: RegExp): [before: string, from: string] {
  const at = text.search(character);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at)];
}

/** What a target asks of a server. */
export type ServerState = { isInRecovery: boolean; isReadOnly: boolean };

export function isWanted(target: HostTarget, { isInRecovery, isReadOnly }: ServerState): boolean {
  switch (target) {
    case "any":
      return true;
    case "read-write":
      return !isReadOnly && !isInRecovery;
    case "primary":
      return !isInRecovery;
    case "read-only":
      return isReadOnly || isInRecovery;
    case "standby":
      return isInRecovery;
  }
}
