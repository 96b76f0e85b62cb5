// The client of the tests and benchmarks: it shows statuses and headers, sends what a schema forbids, and never tries
// again. Programs use the client's methods, which hide all of that.
import { createTidings, type RawInput, type RawResponse } from "@tidings/client/source";
import {
  type CallArguments,
  type ErrorCode,
  type JsonObject,
  type Operation,
  type OperationId,
  type Output,
  operations,
  type UploadedFile,
} from "@tidings/contract";

export type { RawInput };

type ClientOptions = {
  baseUrl: string;
  apiKey: string;
  fetch?: typeof globalThis.fetch;
  /** Sent with every request. A value of undefined removes a header, including `authorization`. */
  headers?: Record<string, string | undefined>;
};

export type Answer<Body> = { status: number; headers: Headers; body: Body };

export type Client = {
  <Id extends OperationId>(id: Id, ...input: CallArguments<Id>): Promise<Answer<Output<Id>>>;
  /** Returns every response unchanged, whatever its status. Rejects only when there is none. */
  raw(id: OperationId, input?: RawInput): Promise<Answer<unknown>>;
};

/** A response outside 2xx, or one that cannot be the service's. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  /** Undefined when the response came from something in between, such as a proxy. */
  readonly code: ErrorCode | undefined;
  readonly headers: Headers;
  readonly body: unknown;

  constructor(id: OperationId, answer: RawResponse) {
    const { code, message } = (answer.body ?? {}) as { code?: ErrorCode; message?: string };
    super(`${id}: ${answer.status} ${message ?? "the answer is not one of the service's own"}`);
    this.status = answer.status;
    this.code = code;
    this.headers = answer.headers;
    this.body = answer.body;
  }
}

export function createClient(options: ClientOptions): Client {
  const tidings = createTidings({ ...options, timeout: 0 });
  const raw = async (id: OperationId, input: RawInput = {}) => {
    const { bodyType }: Operation = operations[id];
    const isForm = bodyType === "multipart" && input.body !== undefined;
    return tidings.raw(id, isForm ? { ...input, body: formOf(input.body as JsonObject) } : input);
  };
  const call = async (id: OperationId, input?: RawInput) => {
    const answer = await raw(id, input);
    const succeeded = answer.status >= 200 && answer.status < 300;
    if (!succeeded || !isReadable(operations[id], answer)) throw new ApiError(id, answer);
    return answer;
  };
  return Object.assign(call, { raw }) as Client;
}

/** JSON of the kind that was requested: an object or a list, or the bare value that a few operations return. */
function isReadable({ success }: Operation, { status, body }: RawResponse): boolean {
  if (success.schema === undefined || status === 204) return true;
  const { type } = success.schema as { type?: string };
  return type === "boolean" || type === "number" ? typeof body === type : typeof body === "object" && body !== null;
}

function formOf(body: JsonObject): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(body)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (isUploadedFile(one)) {
        const bytes = Buffer.from(one.bytes, "latin1");
        form.append(name, new Blob([bytes], { type: one.contentType }), one.fileName);
      } else if (one !== undefined) form.append(name, String(one));
    }
  }
  return form;
}

const isUploadedFile = (value: unknown): value is UploadedFile =>
  typeof value === "object" && value !== null && "fileName" in value && "bytes" in value;
