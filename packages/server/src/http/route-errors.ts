// The errors of a request without a route: a path that exists with other methods is 405 and lists them, any other path
// is 404. Fastify reports every route that is added, so the methods of a path are those that it has.
import type { FastifyInstance, RouteOptions } from "fastify";
import type { Config } from "../config.ts";
import { failure } from "../failure.ts";

type Requested = { method: string; url: string };

export const pathOf = ({ url }: Requested): string => url.split("?")[0]!;

export const routeNotFound = (request: Requested): Error =>
  failure("ROUTE_NOT_FOUND", { method: request.method, path: pathOf(request) });

const patterns = new Map<string, RegExp>();

/** Compiled for the first request without a route, and the same in all services of a process. */
function patternOf(url: string): RegExp {
  const pattern = patterns.get(url) ?? new RegExp(`^${url.replaceAll(".", "\\.").replaceAll(/:\w+/g, "[^/]+")}/?$`);
  patterns.set(url, pattern);
  return pattern;
}

/** Has to be called before the first route is added. */
export function createRouteErrors(server: FastifyInstance, { roles }: Config): (request: Requested) => Error {
  const methodsOf = new Map<string, string[]>();
  server.addHook("onRoute", ({ url, method }: RouteOptions) => {
    // A wildcard covers paths of which most do not exist.
    if (url.includes("*")) return;
    methodsOf.set(url, [...(methodsOf.get(url) ?? []), ...[method].flat()]);
  });
  return (request) => {
    const path = pathOf(request);
    const methods = [...methodsOf].flatMap(([url, own]) => (patternOf(url).test(path) ? own : []));
    if (methods.length > 0) {
      const headers = { allow: [...new Set(methods)].sort().join(", ") };
      return failure("METHOD_NOT_ALLOWED", { method: request.method }, { headers });
    }
    if (roles.has("api")) return routeNotFound(request);
    const message =
      "This process is a worker (TIDINGS_ROLE) and serves /health, /ready and /metrics only: send the request to a process with the role api";
    return failure("ROUTE_NOT_FOUND", { method: request.method, path }, { message });
  };
}
