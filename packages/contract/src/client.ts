// The client of the tests and benchmarks: it shows statuses and headers, sends what a schema forbids, and never tries again. Programs
// use packages/client, which hides all of that.
import type { ErrorCode } from "./errors.ts";
import type { Operation } from "./operation.ts";
import { type OperationId, type Operations, type Output, operations } from "./operations.ts";
import type { JsonObject, Static, TSchema, UploadedFile } from "./schema.ts";

export type ClientOptions = {
  /** Origin of the service, with a path prefix if it sits behind one; `""` in a browser means the page's own origin. */
  baseUrl: string;
  apiKey: string;
  fetch?: typeof globalThis.fetch;
  /** Sent with every request. */
  headers?: HeaderValues;
};

/** A value of undefined takes a header away, also `authorization`. */
type HeaderValues = Record<string, string | undefined>;
type CallOptions = { headers?: HeaderValues; signal?: AbortSignal };

// A part with no required member may be left out; a body may not, since the service tells no body from an empty one.
type Part<Name extends string, S> = S extends TSchema
  ? Record<never, never> extends Static<S>
    ? { [N in Name]?: Static<S> }
    : { [N in Name]: Static<S> }
  : { [N in Name]?: never };
type BodyPart<S> = S extends TSchema ? { body: Static<S> } : { body?: never };
type PartsOf<O extends Operation> = Part<"params", O["params"]> & Part<"query", O["query"]> & BodyPart<O["body"]>;

export type CallInput<Id extends OperationId> = PartsOf<Operations[Id]> & CallOptions;
type CallArguments<Id extends OperationId> =
  Record<never, never> extends CallInput<Id> ? [input?: CallInput<Id>] : [input: CallInput<Id>];

/** What the service may be sent when the point is to see it refused. */
export type RawInput = CallOptions & {
  params?: JsonObject;
  query?: JsonObject;
  body?: unknown;
};

export type Answer<Body> = { status: number; headers: Headers; body: Body };

export type Client = {
  <Id extends OperationId>(id: Id, ...input: CallArguments<Id>): Promise<Answer<Output<Id>>>;
  /** Gives every answer as it came, whatever its status. Rejects only when there is no answer to give. */
  raw(id: OperationId, input?: RawInput): Promise<Answer<unknown>>;
};

/** An answer outside 2xx, or one that cannot be the service's own. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  /** Undefined when the answer came from something in between, such as a proxy. */
  readonly code: ErrorCode | undefined;
  readonly headers: Headers;
  readonly body: unknown;

  constructor(id: OperationId, answer: Answer<unknown>) {
    const { code, message } = (answer.body ?? {}) as { code?: ErrorCode; message?: string };
    super(`${id}: ${answer.status} ${message ?? "the answer is not one of the service's own"}`);
    this.status = answer.status;
    this.code = code;
    this.headers = answer.headers;
    this.body = answer.body;
  }
}

export function createClient(options: ClientOptions): Client {
  const raw = async (id: OperationId, input: RawInput = {}): Promise<Answer<unknown>> => {
    const operation: Operation = operations[id];
    const send = options.fetch ?? globalThis.fetch;
    const response = await send(urlOf(options.baseUrl, operation, input), {
      method: operation.method,
      headers: headersOf(options, operation, input),
      body: bodyOf(operation, input.body),
      signal: input.signal,
    });
    return { status: response.status, headers: response.headers, body: parse(await response.text()) };
  };

  const call = async (id: OperationId, input?: RawInput): Promise<Answer<unknown>> => {
    const answer = await raw(id, input);
    const { success }: Operation = operations[id];
    const succeeded = answer.status >= 200 && answer.status < 300;
    // A proxy's friendly HTML page with status 200 must not pass for the record that was asked for.
    const readable = success.schema === undefined || answer.status === 204 || isReadable(success.schema, answer.body);
    if (!succeeded || !readable) throw new ApiError(id, answer);
    return answer;
  };

  return Object.assign(call, { raw }) as Client;
}

/** JSON of the kind that was asked for: an object or a list, or the bare value that a few operations answer. */
function isReadable(schema: TSchema, body: unknown): boolean {
  const { type } = schema as { type?: string };
  return type === "boolean" || type === "number" ? typeof body === type : typeof body === "object" && body !== null;
}

function urlOf(baseUrl: string, operation: Operation, input: RawInput): string {
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => pathPart(name, input.params?.[name]));
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(input.query ?? {})) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined) query.append(name, String(one));
    }
  }
  return `${baseUrl.replace(/(?<!\/)\/+$/, "")}${path}${query.size > 0 ? `?${query}` : ""}`;
}

// URL parsers resolve "." and ".." even when percent-encoded, and an empty part names the list instead of the record:
// each would silently address another resource.
function pathPart(name: string, value: unknown): string {
  const text = String(value ?? "");
  if (["", ".", ".."].includes(text)) throw new TypeError(`${name} cannot be "${text}" in a path`);
  return encodeURIComponent(text);
}

function bodyOf(operation: Operation, body: unknown): string | FormData | undefined {
  if (body === undefined) return undefined;
  return operation.bodyType === "multipart" ? formOf(body as JsonObject) : JSON.stringify(body);
}

function formOf(body: JsonObject): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(body)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (isUploadedFile(one)) {
        const bytes = Uint8Array.from(one.bytes, (character) => character.charCodeAt(0));
        form.append(name, new Blob([bytes], { type: one.contentType }), one.fileName);
      } else if (one !== undefined) form.append(name, String(one));
    }
  }
  return form;
}

const isUploadedFile = (value: unknown): value is UploadedFile =>
  typeof value === "object" && value !== null && "fileName" in value && "bytes" in value;

function headersOf(options: ClientOptions, operation: Operation, input: RawInput): Headers {
  const headers = new Headers({ accept: "application/json", authorization: `ApiKey ${options.apiKey}` });
  // A form brings its own, with the boundary in it.
  const isJson = input.body !== undefined && operation.bodyType !== "multipart";
  if (isJson) headers.set("content-type", "application/json");
  for (const [name, value] of Object.entries({ ...options.headers, ...input.headers })) {
    if (value === undefined) headers.delete(name);
    else headers.set(name, value);
  }
  return headers;
}

function parse(text: string): unknown {
  if (text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
