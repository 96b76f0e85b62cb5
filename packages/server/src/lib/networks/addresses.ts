// Addresses of clients, however they are spelled.
import { isIP } from "node:net";

/**
 * An IPv4 address, or the /64 network of an IPv6 address: one customer of a network has all addresses in it. A client
 * that has hung up no longer has an address, whatever the types of Node and Fastify say.
 */
export function networkOf(address: string | undefined): string {
  const bare = (address ?? "").split("%")[0]!;
  if (isIP(bare) !== 6) return bare;
  const groups = readGroups(bare);
  return mappedIn(groups) ?? networkOfGroups(groups);
}

const networkOfGroups = (groups: number[]): string =>
  groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(":");

/**
 * The address without its zone, and as an IPv4 address where IPv6 only wraps one: a server that listens on IPv6 sees
 * clients of IPv4 as `::ffff:192.0.2.1`. Empty for a client that has hung up.
 */
export function plainAddress(address: string | undefined): string {
  const bare = (address ?? "").split("%")[0]!;
  return isIP(bare) === 6 ? (mappedIn(readGroups(bare)) ?? bare) : bare;
}

/** The IPv4 address in an IPv4-mapped one; null for any other. */
function mappedIn(groups: number[]): string | null {
  const [high = 0, low = 0] = groups.slice(6);
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  return isMapped ? [high >> 8, high & 255, low >> 8, low & 255].join(".") : null;
}

/**
 * The eight groups of an IPv6 address, of which `::` leaves out some. The last two may be written as an IPv4 address.
 */
function readGroups(address: string): number[] {
  const tail = address.slice(address.lastIndexOf(":") + 1);
  const [a = 0, b = 0, c = 0, d = 0] = isIP(tail) === 4 ? tail.split(".").map(Number) : [];
  const asGroups = `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  const text = isIP(tail) === 4 ? address.slice(0, -tail.length) + asGroups : address;
  const [before = [], after = []] = text.split("::").map((part) => part.split(":").filter(Boolean));
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => "0");
  return [...before, ...zeros, ...after].map((group) => Number.parseInt(group, 16));
}
