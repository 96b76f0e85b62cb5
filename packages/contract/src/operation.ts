// An operation is data: the route table, the validator, OpenAPI, the client, metrics and log fields derive from it.
import type { ErrorCode } from "./errors.ts";
import type { RawRequest, Static, TObject, TSchema } from "./schema.ts";

export const rateCategories = ["trigger", "configuration", "global", "inbox"] as const;
export type RateCategory = (typeof rateCategories)[number];

export type Operation = {
  /** `resource.verb`: names the handler, the metric, the log field and the client function. */
  id: string;
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** OpenAPI style: `/v1/integrations/{integrationId}`. */
  path: string;
  summary: string;
  description?: string;
  /** Which token bucket a request draws from. */
  category: RateCategory;
  params?: TObject;
  query?: TObject;
  body?: TSchema;
  /**
   * `multipart`: the body comes as multipart/form-data; its files are `UploadedFile`s. `raw`: any body or query, handed
   * on unread as a `RawRequest`. JSON otherwise.
   */
  bodyType?: "multipart" | "raw";
  /**
   * Without an API key, and therefore without idempotency keys. `signed`: the operation checks a signature itself. `open`:
   * anyone may call it, and the operation decides what it believes. `inbox`: the token of an inbox session. `person`: the
   * session of a person, without an environment.
   */
  access?: "signed" | "open" | "inbox" | "person";
  /**
   * Where the method says otherwise: true reads only, although it is no GET (no transaction is opened for it, and
   * idempotency keys have no meaning); false is a GET that writes, because its method is prescribed from outside.
   */
  isReadOnly?: boolean;
  /**
   * The success answer: its status, and its shape unless the answer has no body. `also` is a second status with the same
   * shape, or 204 without a body, for operations that tell "made" from "was there" or "there" from "not there"; the handler
   * marks the answers that have it. `text` says
   * what a plain text in place of that shape is, where the handler may answer one.
   */
  success: { status: number; also?: number; schema?: TSchema; text?: string };
  /** Errors of its own, beside those that every operation can give. */
  errors: readonly ErrorCode[];
  /** `bulk` raises the limit of the request body (settings). */
  bodyLimit?: "bulk";
};

/** Every status a success answer of the operation may have. */
export function successStatuses({ status, also }: Operation["success"]): number[] {
  return also === undefined ? [status] : [status, also];
}

/** Whether a request of the operation leaves everything as it was. */
export function readsOnly({ method, isReadOnly = method === "GET" }: Operation): boolean {
  return isReadOnly;
}

export function operation<const O extends Operation>(definition: O): O {
  return definition;
}

type StaticOr<S, Otherwise> = S extends TSchema ? Static<S> : Otherwise;

export type InputOf<O extends Operation> = {
  params: StaticOr<O["params"], Record<never, never>>;
  query: StaticOr<O["query"], Record<never, never>>;
  body: O extends { bodyType: "raw" } ? RawRequest : StaticOr<O["body"], undefined>;
};

export type OutputOf<O extends Operation> = O["success"] extends { schema: infer S extends TSchema }
  ? Static<S>
  : undefined;
