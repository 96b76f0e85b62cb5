// The errors of a request without a route: a path that exists with other methods is 405 and lists them, any other path
// is 404. Fastify reports every route that is added, so the methods of a path are those that it has.
import type { FastifyInstance, RouteOptions } from "fastify";
import type { Config } from "../config.ts";
import { failure } from "../failure.ts";

type Requested = { method: string; url: string };

export const pathOf = ({ url }: Requested): string => url.split("?")[0]!;

export const routeNotFound = (request: Requested): Error =>
  failure("ROUTE_NOT_FOUND", { method: request.method, path: pathOf(request) });

const patternOf = (url: string): RegExp => new RegExp(`^${url.replaceAll(".", "\\.").replaceAll(/:\w+/g, "[^/]+")}/?$`);

/** Has to be called before the first route is added. */
export function createRouteErrors(server: FastifyInstance, { roles }: Config): (request: Requested) => Error {
  const methodsOf = new Map<string, { pattern: RegExp; methods: string[] }>();
  server.addHook("onRoute", ({ url, method }: RouteOptions) => {
    // A wildcard covers paths of which most do not exist.
    if (url.includes("*")) return;
    const known = methodsOf.get(url) ?? { pattern: patternOf(url), methods: [] };
    known.methods.push(...[method].flat());
    methodsOf.set(url, known);
  });
  return (request) => {
    const path = pathOf(request);
    const methods = [...methodsOf.values()].filter(({ pattern }) => pattern.test(path)).flatMap((one) => one.methods);
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
