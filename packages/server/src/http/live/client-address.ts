// The address of a client whose request Fastify does not see: an upgrade. It is found as `request.ip` is.
import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { networkSet } from "../../lib/url-guard.ts";

/**
 * Only a trusted proxy may say who its client is. The last address of the header is the one that the proxy itself has
 * seen.
 */
export function createAddressReader(
  trustedProxies: readonly string[],
): (request: Pick<IncomingMessage, "headers" | "socket">) => string {
  const trusted = networkSet(trustedProxies);
  const isTrusted = (address: string): boolean => {
    const family = isIP(address);
    return (family === 4 || family === 6) && trusted.has(address, family);
  };
  return ({ headers, socket }) => {
    const told = [headers["x-forwarded-for"] ?? []]
      .flat()
      .join(",")
      .split(",")
      .map((address) => address.trim())
      .filter(Boolean);
    let address = withoutPrefix(socket.remoteAddress ?? "");
    while (told.length > 0 && isTrusted(address)) address = withoutPrefix(told.pop()!);
    return address;
  };
}

/** A server that listens on IPv6 sees clients of IPv4 as `::ffff:127.0.0.1`. */
const withoutPrefix = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, "");
