// `/mcp`: the tools for assistants, over streamable HTTP. A request is a POST with an API key, and its response is one
// JSON value: there are no streams and no sessions, so proxies need no settings, and any process can serve it.
import { operations } from "@tidings/contract";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Caller, NetworkCtx } from "../../context.ts";
import { failure } from "../../failure.ts";
import { authenticate, type WrongKeyLimiter } from "../auth/api-keys.ts";
import { sourceOf } from "../auth/member-sessions.ts";
import { type RateLimiter, takeTokens } from "../auth/rate-limit.ts";
import { errorAnswer } from "../errors.ts";
import { createCalls } from "./calls.ts";
import { mayCall } from "./may-call.ts";
import { answerProtocol } from "./protocol.ts";
import { type ReportFault, runTool } from "./run-tool.ts";
import type { ToolHost } from "./tool.ts";
import { tools } from "./tools/index.ts";

const path = "/mcp";
/** A folder of workflow files fits into it. */
const maxBody = 8 * 1024 * 1024;
/** Requests of one environment that a process serves at the same time. */
const maxAtOnce = 10;

/** Codes of JSON-RPC: not JSON, not a request, and everything that a server refuses for its own reasons. */
const codes = { parse: -32_700, request: -32_600, refused: -32_000 } as const;

/** Assistants send keys as bearer tokens. */
function authorizationOf({ headers }: FastifyRequest): string | undefined {
  return headers.authorization?.replace(/^\s*bearer\s+/i, "ApiKey ");
}

/**
 * A page that a browser loaded from elsewhere, or from a name that was pointed at this machine, has its own origin.
 * Programs have none.
 */
function refuseOrigin(publicUrl: string, { headers }: FastifyRequest): void {
  const { origin } = headers;
  if (origin === undefined || (publicUrl !== "" && origin === new URL(publicUrl).origin)) return;
  throw failure("FORBIDDEN", {}, { message: "Web pages of other origins may not call /mcp" });
}

function hostOf(server: FastifyInstance, ctx: NetworkCtx, request: FastifyRequest, caller: Caller): ToolHost {
  const { publicUrl, dashboard } = ctx.config;
  const isLinked = publicUrl !== "" && dashboard;
  // A plan is one of the environment, whichever of its keys asked for it.
  const signed = (content: string): string[] => ctx.secrets.hashes("mcp plan", `${caller.environmentId} ${content}`);
  return {
    caller,
    call: createCalls(server, request, authorizationOf(request)!),
    linkTo: (screen) =>
      isLinked ? `Dashboard: ${publicUrl}${screen}?env=${encodeURIComponent(caller.environmentIdentifier)}` : "",
    now: ctx.now,
    signPlan: (content) => signed(content)[0]!,
    isPlanSigned: (content, planId) => signed(content).includes(planId),
  };
}

/** The request as the SDK reads it; the host is that of nothing, since no rule depends on it. */
function toWebRequest({ headers, body }: FastifyRequest): Request {
  const kept = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    typeof value === "string" && /^(?:accept|content-type|mcp-[\w-]+)$/.test(name) ? [[name, value]] : [],
  );
  return new Request(`http://tidings.invalid${path}`, { method: "POST", headers: kept, body: JSON.stringify(body) });
}

function sendProtocolError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status, headers, body } = errorAnswer(error, request);
  const code = body.code === "MALFORMED_JSON" ? codes.parse : status === 422 ? codes.request : codes.refused;
  const { message, code: name, errors, errorId } = body;
  const scheme = status === 401 ? { "www-authenticate": "Bearer" } : {};
  const data = { code: name, ...(errors !== undefined && { errors }), ...(errorId !== undefined && { errorId }) };
  return reply
    .code(status)
    .headers({ ...headers, ...scheme, "content-type": "application/json; charset=utf-8" })
    .serializer(JSON.stringify)
    .send({ jsonrpc: "2.0", id: null, error: { code, message, data } });
}

/** Its own message may name tables, files or values, so it is in the log only. */
function reportFault(ctx: NetworkCtx, request: FastifyRequest, error: unknown): string {
  ctx.faults.note(error);
  const { message, errorId } = errorAnswer(error, request).body;
  return `The service could not answer: ${message}. Request id: ${request.id}${errorId ? `, errorId: ${errorId}` : ""}`;
}

export function addMcp(
  server: FastifyInstance,
  ctx: NetworkCtx,
  { rates, wrongKeys }: { rates: RateLimiter; wrongKeys: WrongKeyLimiter },
): void {
  const open = new Map<string, number>();
  const count = (environmentId: string, change: 1 | -1): void => {
    const next = (open.get(environmentId) ?? 0) + change;
    if (next === 0) open.delete(environmentId);
    else open.set(environmentId, next);
  };
  server.route({
    method: "POST",
    url: path,
    bodyLimit: Math.min(ctx.config.bulkBodyLimit, maxBody),
    onRequest: async (request, reply) => {
      refuseOrigin(ctx.config.publicUrl, request);
      const credentials = { header: authorizationOf(request), address: request.ip };
      const caller = await authenticate(ctx, wrongKeys, null, credentials);
      request.caller = caller;
      takeTokens(rates, reply, {
        owner: caller.environmentId,
        category: operations["system.retrieve"].category,
        cost: 1,
      });
    },
    errorHandler: (error, request, reply) => {
      ctx.faults.note(error);
      return sendProtocolError(error, request, reply);
    },
    handler: async (request, reply) => {
      const caller = request.caller!;
      const { environmentId } = caller;
      if (typeof request.body !== "object" || request.body === null || Array.isArray(request.body))
        throw failure("VALIDATION_ERROR", {}, { message: "The body must be one JSON-RPC message" });
      if ((open.get(environmentId) ?? 0) >= maxAtOnce)
        throw failure("RATE_LIMITED", {}, { headers: { "retry-after": "1" } });
      count(environmentId, 1);
      try {
        const host = hostOf(server, ctx, request, caller);
        const source = sourceOf(ctx, request);
        const report: ReportFault = (error) => reportFault(ctx, request, error);
        const response = await answerProtocol(toWebRequest(request), request.body, {
          tools,
          isOffered: (tool) => mayCall(caller, tool),
          run: (tool, input) => runTool(ctx, tool, host, { input, source, reportFault: report }),
          reportFault: report,
        });
        const text = await response.text();
        const type = response.headers.get("content-type");
        if (type) reply.header("content-type", type);
        return reply
          .code(response.status)
          .serializer(String)
          .send(text === "" ? undefined : text);
      } finally {
        count(environmentId, -1);
      }
    },
  });
}
