// The path that browsers reach the service at, where a proxy serves it below its own path.
import type { FastifyRequest } from "fastify";

const prefixPattern = /^(?:\/[\w~-][\w.~-]*)+\/?$/;

/**
 * The folder the browser reaches the service at: what a proxy says, else the path of the public URL. A request that
 * came straight to this service while a public URL with a path is set does not pass the proxy; then the path of the URL
 * is wrong, so a proxy that keeps the prefix out of what it forwards should send `x-forwarded-prefix`. Begins and ends
 * with a slash.
 */
export function basePathOf(publicUrl: string, request: Pick<FastifyRequest, "headers">): string {
  const told = request.headers["x-forwarded-prefix"];
  const prefix = typeof told === "string" && prefixPattern.test(told) ? told : publicPath(publicUrl);
  return prefix.endsWith("/") ? prefix : `${prefix}/`;
}

/** The address of the service as the caller has it, without a slash at the end. */
export function addressOf(publicUrl: string, request: Pick<FastifyRequest, "headers" | "host" | "protocol">): string {
  return `${request.protocol}://${request.host}${basePathOf(publicUrl, request)}`.replace(/\/$/, "");
}

const publicPath = (publicUrl: string): string => (publicUrl === "" ? "/" : new URL(publicUrl).pathname);
