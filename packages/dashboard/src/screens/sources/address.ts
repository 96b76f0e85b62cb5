// The parts of a database's address that may be shown, as the service reads them.
import type { Source } from "@tidings/contract";

type Address = { host: string; port: number; database: string; user: string };

/** Undefined while the address is incomplete. */
export function readAddress(text: string): Address | undefined {
  const url = URL.parse(text.trim());
  if (!url || !/^postgres(?:ql)?:$/.test(url.protocol) || url.hostname === "") return undefined;
  const [database, user] = [decode(url.pathname.slice(1)), decode(url.username)];
  if (!database || !user) return undefined;
  return { host: url.hostname.replace(/^\[(.*)\]$/, "$1"), port: Number(url.port) || defaultPort, database, user };
}

const defaultPort = 5_432;

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** "tidings@db.example.com/shop"; undefined for the service's own database. */
export function placeOf({ host, port, database, user }: Pick<Source, keyof Address>): string | undefined {
  if (host === undefined) return undefined;
  const named = host.includes(":") ? `[${host}]` : host;
  return `${user}@${named}${port === undefined || port === defaultPort ? "" : `:${port}`}/${database}`;
}
