// Requests without the client: raw text, with all headers set by the test.
import assert from "node:assert/strict";
import { type ErrorCode, errorCatalogue, type Operation, type OperationId, operations } from "@tidings/contract";
import { type Client, createClient, type RawInput } from "./client.ts";

export type Reply = { status: number; headers: Headers; text: string; body: unknown };

async function toReply(response: Response): Promise<Reply> {
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.startsWith("application/json") && text !== "";
  return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined };
}

type Sent = { method?: string; headers?: Record<string, string>; body?: string };
/** `fetch`: another way to the service than its socket. */
type Target = { url: string; apiKey: string; fetch?: typeof globalThis.fetch };

/** One request without a key and a content type. */
export const request = async (target: Target, path: string, sent: Sent = {}): Promise<Reply> =>
  toReply(await (target.fetch ?? fetch)(`${target.url}${path}`, { redirect: "manual", ...sent }));

/** The same with the Development key, and as JSON when there is a body. */
export const authorized = (target: Target, path: string, sent: Sent = {}): Promise<Reply> =>
  request(target, path, {
    ...sent,
    headers: {
      authorization: `ApiKey ${target.apiKey}`,
      ...(sent.body === undefined ? {} : { "content-type": "application/json" }),
      ...sent.headers,
    },
  });

type Exchanger = { client: Client; replies: WeakMap<Headers, Reply> };

/** A client has a function for each operation, which takes longer to create than a request takes. */
const exchangers = new WeakMap<Target, Exchanger>();

/** One operation, with the response's text in addition to its body. A target has one client. */
export async function exchange(target: Target, id: OperationId, input: RawInput = {}): Promise<Reply> {
  const exchanger = exchangers.get(target) ?? createExchanger(target);
  exchangers.set(target, exchanger);
  const { headers } = await exchanger.client.raw(id, input);
  return exchanger.replies.get(headers)!;
}

function createExchanger(target: Target): Exchanger {
  const replies = new WeakMap<Headers, Reply>();
  const client = createClient({
    baseUrl: target.url,
    apiKey: target.apiKey,
    fetch: async (...args) => {
      const response = await (target.fetch ?? fetch)(...args);
      replies.set(response.headers, await toReply(response.clone()));
      return response;
    },
  });
  return { client, replies };
}

export type ErrorBody = {
  error: string;
  statusCode: number;
  timestamp: string;
  path: string;
  message: string;
  code: ErrorCode;
  ctx?: Record<string, unknown>;
  type?: string;
  errors?: Record<string, { messages: string[]; value?: unknown }>;
  errorId?: string;
};

/** Checks the members that every error body has, and returns the body. */
export function errorOf(reply: Pick<Reply, "status" | "body">, code: ErrorCode): ErrorBody {
  const body = reply.body as ErrorBody;
  assert.equal(body?.code, code, JSON.stringify(body));
  assert.equal(reply.status, errorCatalogue[code].status);
  assert.equal(body.statusCode, reply.status);
  assert.match(body.timestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.equal(typeof body.path, "string");
  assert.ok(body.message.length > 0);
  return body;
}

export const operationIds = Object.keys(operations) as OperationId[];
export const operationOf = (id: OperationId): Operation => operations[id];
export const isWrite = (id: OperationId): boolean => operationOf(id).method !== "GET";
