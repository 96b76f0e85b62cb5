// An operation is data: the route table, the validator, OpenAPI, the client, metrics and log fields derive from it.
import type { ErrorCode } from "./errors.ts";
import type { Static, TObject, TSchema } from "./schema.ts";

export const rateCategories = ["trigger", "configuration", "global"] as const;
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
   * `multipart`: the body comes as multipart/form-data; its files are `UploadedFile`s. `raw`: any body, handed on as a
   * `RawRequest`. JSON otherwise.
   */
  bodyType?: "multipart" | "raw";
  /** `signed`: no API key; the operation checks a signature itself. Idempotency keys have no meaning there. */
  access?: "signed";
  /** Reads only, although it is no GET: no transaction is opened for it, and idempotency keys have no meaning. */
  isReadOnly?: true;
  /**
   * The success answer: its status, and its shape unless the answer has no body. `also` is a second status with the same
   * shape, for operations that tell "made" from "was there"; the handler marks the answers that have it.
   */
  success: { status: number; also?: number; schema?: TSchema };
  /** Errors of its own, beside those that every operation can give. */
  errors: readonly ErrorCode[];
  /** The answer holds a secret in clear: what is kept of it under an idempotency key is encrypted. */
  isSecretAnswer?: true;
  /** `bulk` raises the limit of the request body (settings). */
  bodyLimit?: "bulk";
};

/** Every status a success answer of the operation may have. */
export const successStatuses = ({ status, also }: Operation["success"]): number[] =>
  also === undefined ? [status] : [status, also];

export const operation = <const O extends Operation>(definition: O): O => definition;

type StaticOr<S, Otherwise> = S extends TSchema ? Static<S> : Otherwise;

export type InputOf<O extends Operation> = {
  params: StaticOr<O["params"], Record<never, never>>;
  query: StaticOr<O["query"], Record<never, never>>;
  body: StaticOr<O["body"], undefined>;
};

export type OutputOf<O extends Operation> = O["success"] extends { schema: infer S extends TSchema }
  ? Static<S>
  : undefined;
