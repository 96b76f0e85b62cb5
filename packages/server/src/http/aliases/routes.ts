// Routes of the older API, which `@novu/node` 2.x calls, in the vocabulary `novu`. An alias is not an operation: it
// asks the operations of the contract in this process, as the caller would over HTTP, and gives their responses the
// older form. So authentication, rate limits, idempotency, validation and metrics are those of the operations. What
// Tidings does not have is a 410 that names the way.
import { type OperationId, operations, readsOnly } from "@tidings/contract";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { failure } from "../../failure.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { addPreflight, allowReading } from "../auth/inbox-cors.ts";
import type { Alias, AliasRequest, Ask } from "./alias.ts";
import { aliases } from "./table.ts";
import { unsupported, widgetsPath } from "./unsupported.ts";

type Answered = { statusCode: number; headers: Record<string, unknown>; payload: string };

/** The response of an operation that was refused. */
class Refusal extends Error {
  readonly answer: Answered;
  constructor(answer: Answered) {
    super(`refused with ${answer.statusCode}`);
    this.answer = answer;
  }
}

const methodOf = (route: string): string => route.split(" ")[0]!;
const pathOf = (route: string): string => route.split(" ")[1]!;

export function addAliases(server: FastifyInstance): void {
  acceptOnline(server);
  addPreflight(server, `${widgetsPath}/`);
  for (const [route, alias] of Object.entries(aliases)) {
    server.route({
      method: methodOf(route),
      url: urlOf(pathOf(route)),
      exposeHeadRoute: false,
      handler: (request, reply) => answer(server, alias, request, reply),
    });
  }
  for (const { routes, subject, instead } of unsupported)
    for (const route of routes)
      server.route({
        method: methodOf(route),
        url: urlOf(pathOf(route)),
        exposeHeadRoute: false,
        // Before the body is read: nothing in it matters.
        onRequest: async (request, reply) => {
          if (pathOf(route).startsWith(widgetsPath)) allowReading(request, reply);
          throw failure("NOT_SUPPORTED", { subject, instead });
        },
        handler: async () => undefined,
      });
}

const urlOf = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ":$1");

/** The older SDK calls the member `online`. */
function acceptOnline(server: FastifyInstance): void {
  const url = urlOf(operations["subscribers.updateOnlineStatus"].path);
  server.addHook("onRoute", (route) => {
    if (route.url !== url || route.method !== "PATCH") return;
    route.preValidation = async (request: FastifyRequest) => {
      const { body } = request;
      if (isObject(body) && Object.hasOwn(body, "online") && !Object.hasOwn(body, "isOnline"))
        request.body = { isOnline: body.online };
    };
  });
}

async function answer(
  server: FastifyInstance,
  alias: Alias,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const asked: AliasRequest = {
    params: request.params as AliasRequest["params"],
    query: request.query as JsonObject,
    body: isObject(request.body) ? request.body : {},
  };
  let last: Answered | undefined;
  let writes = 0;
  const ask: Ask = async (id, input) => {
    const isFirst = readsOnly(operations[id]) || writes++ === 0;
    last = await askOperation(server, headersFor(request, isFirst ? "" : `:${writes}`), request, id, input ?? {});
    if (last.statusCode >= 400) throw new Refusal(last);
    return last.payload === "" ? undefined : JSON.parse(last.payload);
  };
  try {
    const { status, body } = await alias(asked, ask);
    copyHeaders(reply, last);
    return body === undefined ? reply.code(status).send() : reply.code(status).send(body);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    copyHeaders(reply, error.answer);
    return reply.code(error.answer.statusCode).type("application/json; charset=utf-8").send(error.answer.payload);
  }
}

/**
 * Headers of the caller that decide who asks, and whether the request is a repetition. No cookies: aliases are for API
 * keys.
 */
const passedOn = [
  "authorization",
  "idempotency-key",
  "user-agent",
  "x-forwarded-for",
  "x-forwarded-proto",
  "forwarded",
];

/** Several writes of one request are different requests, so each has its own idempotency key. */
function headersFor({ headers, id }: FastifyRequest, suffix: string): Record<string, string> {
  const kept = passedOn.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]]));
  const given: Record<string, string> = { ...Object.fromEntries(kept), "x-request-id": id };
  const key = given["idempotency-key"];
  return key === undefined ? given : { ...given, "idempotency-key": key + suffix };
}

async function askOperation<Id extends OperationId>(
  server: FastifyInstance,
  headers: Record<string, string>,
  request: FastifyRequest,
  id: Id,
  input: { params?: object; query?: object; body?: unknown },
): Promise<Answered> {
  const { method, path } = operations[id];
  return server.inject({
    method,
    url: fillPath(path, input.params ?? {}),
    query: textsOf(input.query ?? {}),
    headers,
    remoteAddress: request.socket.remoteAddress,
    ...(input.body === undefined ? {} : { payload: input.body as object }),
  });
}

const fillPath = (path: string, params: object): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = String((params as Record<string, unknown>)[name] ?? "");
    // A URL parser would resolve these, and address another resource.
    if (["", ".", ".."].includes(value)) throw failure("ROUTE_NOT_FOUND", { method: "", path });
    return encodeURIComponent(value);
  });

const textsOf = (query: object): Record<string, string> =>
  Object.fromEntries(
    Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );

const ownHeaders = new Set(["content-length", "content-type", "connection", "keep-alive", "transfer-encoding", "date"]);

function copyHeaders(reply: FastifyReply, answered: Answered | undefined): void {
  for (const [name, value] of Object.entries(answered?.headers ?? {}))
    if (!ownHeaders.has(name)) reply.header(name, value);
}
