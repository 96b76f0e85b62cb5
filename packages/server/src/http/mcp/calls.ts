// Calls of operations by tools. Each is a request to this server that does not leave the process: it is authenticated,
// charged, checked and audited as one of the network would be, so a tool can do nothing that its key cannot.
import { type OperationId, type Output, operations } from "@tidings/contract";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { quote } from "./answer.ts";
import { type CallOperation, Refusal } from "./tool.ts";

type Parts = { params?: object; query?: object; body?: unknown };

function addressOf(path: string, { params = {}, query = {} }: Parts): string {
  const filled = Object.entries(params).reduce((text, [name, value]) => {
    // Parts of a path that lead to another one, however they are encoded.
    if (value === "." || value === "..") throw new Refusal(`${name} ${quote(value)} does not exist.`, 404);
    return text.replace(`{${name}}`, () => encodeURIComponent(String(value)));
  }, path);
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    for (const one of [value].flat()) if (one !== undefined) search.append(name, String(one));
  return search.size > 0 ? `${filled}?${search}` : filled;
}

/** `authorization`: the key in the scheme of the API. */
export function createCalls(server: FastifyInstance, request: FastifyRequest, authorization: string): CallOperation {
  const { "user-agent": agent, traceparent } = request.headers;
  return async <Id extends OperationId>(id: Id, input: Parts) => {
    const { method, path } = operations[id];
    const response = await server.inject({
      method,
      url: addressOf(path, input),
      remoteAddress: request.ip,
      headers: {
        authorization,
        "x-request-id": request.id,
        ...(agent && { "user-agent": agent }),
        ...(typeof traceparent === "string" && { traceparent }),
      },
      ...(input.body !== undefined && { payload: input.body as object }),
    });
    if (response.statusCode < 400) return (response.payload === "" ? undefined : response.json()) as Output<Id>;
    throw refusalOf(response.statusCode, response.payload, response.headers["retry-after"]);
  };
}

type ErrorBody = { code?: string; message?: unknown; errors?: unknown };

function readBody(text: string): ErrorBody {
  try {
    return JSON.parse(text) as ErrorBody;
  } catch {
    return {};
  }
}

/** The errors of fields, which name what to correct. */
function faultsIn(errors: unknown): string[] {
  if (typeof errors !== "object" || errors === null) return [];
  return Object.values(errors)
    .flatMap((fault: { messages?: unknown[] }) => fault?.messages ?? [])
    .slice(0, 20)
    .map((message) => quote(String(message)));
}

function refusalOf(status: number, text: string, retryAfter: unknown): Refusal {
  const { code = "", message, errors } = readBody(text);
  const said = quote(typeof message === "string" ? message : `status ${status}`);
  if (status === 403) return new Refusal(`The API key may not do this: ${said}`, status);
  if (status === 429) return new Refusal(`Too many requests. Try again in ${Number(retryAfter) || 1} s.`, status);
  if (status >= 500) return new Refusal(`The service could not answer: ${said} (${code}). Try again later.`, status);
  return new Refusal([`Refused (${code}): ${said}`, ...faultsIn(errors)].join("\n"), status);
}
