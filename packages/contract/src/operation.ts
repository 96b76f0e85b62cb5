// An operation is data: the route table, the validator, OpenAPI, the client, metrics and log fields derive from it.
import type { ErrorCode } from "./errors.ts";
import type { Role } from "./roles.ts";
import type { RawRequest, Static, TObject, TSchema } from "./schema.ts";

export const rateCategories = ["trigger", "configuration", "global", "inbox"] as const;
export type RateCategory = (typeof rateCategories)[number];

/**
 * Limits in addition to the rate category. Sign-in attempts are counted per client `address`, per account of the body's
 * `email`, and per signed-in account when the body changes its `password`; sessions are counted per requested `inbox`.
 */
export type ExtraLimit = "address" | "email" | "password" | "inbox";

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
  /** Tokens that a request with this body costs. One, unless given. */
  cost?: (body: unknown) => number;
  limits?: readonly ExtraLimit[];
  /** The operation accepts events, so it waits for its turn: requests with a single event, or with many. */
  admission?: "single" | "bulk";
  /** The operation is in the scope `send` of API keys (key-scopes.ts). */
  isForSending?: true;
  /** Not served where this part of the service is switched off. */
  feature?: "dashboard";
  /** The minimum role of members. Unless given: `viewer` for operations that only read, `editor` for all others. */
  role?: Role;
  /** Fields of the body that need a higher role than the operation. */
  fieldRoles?: Readonly<Record<string, Role>>;
  /**
   * What the audit log records. Unless given: changes by members, and no reads. `everyone`: changes by API keys as
   * well, for the configuration of an environment. `members`: reads by members, for the data of many subscribers in one
   * file. `erasure`: a change by members, without the content of the deleted record. `never`: it changes nothing that
   * anybody would look for.
   */
  audit?: "everyone" | "members" | "erasure" | "never";
  params?: TObject;
  query?: TObject;
  body?: TSchema;
  /** A request without a body is read as `{}`. */
  isBodyOptional?: true;
  /**
   * `multipart`: the body comes as multipart/form-data; its files are `UploadedFile`s. `raw`: any body or query, handed
   * on unread as a `RawRequest`. JSON otherwise.
   */
  bodyType?: "multipart" | "raw";
  /**
   * Without an API key, and therefore without idempotency keys. `signed`: the operation checks a signature itself.
   * `open`: anyone may call it, and the operation decides what it believes. `inbox`: the token of an inbox session.
   * `member`: the session of a member, without an environment.
   */
  access?: "signed" | "open" | "inbox" | "member";
  /**
   * Where the method says otherwise: true only reads, although it is not a GET (no transaction is opened for it, and
   * idempotency keys have no meaning); false is a GET that writes, because its method is prescribed from outside.
   */
  isReadOnly?: boolean;
  /**
   * The operation reads many rows, so a replica of the database serves it where there is one: never with less than what
   * was committed when the request arrived. Reads of an inbox and of single records stay on the primary.
   */
  isFromReplica?: true;
  /**
   * The success response: its status, and its shape unless it has no body. `also` is a second status with the same
   * shape, or 204 without a body, for operations that distinguish created from existing, or found from missing; the
   * handler marks the results that have it. `text` describes a plain text that the handler may return instead of that
   * shape.
   */
  success: { status: number; also?: number; schema?: TSchema; text?: string };
  /** Its own errors, in addition to those that every operation can return. */
  errors: readonly ErrorCode[];
  /** `bulk` raises the limit of the request body (settings). */
  bodyLimit?: "bulk";
};

/** Every status that a success response of the operation may have. */
export function successStatuses({ status, also }: Operation["success"]): number[] {
  return also === undefined ? [status] : [status, also];
}

/** Whether a request of the operation changes nothing. */
export function readsOnly({ method, isReadOnly = method === "GET" }: Operation): boolean {
  return isReadOnly;
}

/** The number of items in a list of an unchecked body, for `cost`; at least one. */
export function countItems(body: unknown, name: string): number {
  const value = (body as Record<string, unknown> | undefined | null)?.[name];
  return Array.isArray(value) ? Math.max(1, value.length) : 1;
}

export function operation<const O extends Operation>(definition: O): O {
  return definition;
}

type StaticOr<S, Otherwise> = S extends TSchema ? Static<S> : Otherwise;

export type InputOf<O extends Operation> = {
  params: StaticOr<O["params"], Record<never, never>>;
  query: O extends { bodyType: "raw" } ? Record<never, never> : StaticOr<O["query"], Record<never, never>>;
  body: O extends { bodyType: "raw" } ? RawRequest : StaticOr<O["body"], undefined>;
};

export type OutputOf<O extends Operation> = O["success"] extends { schema: infer S extends TSchema }
  ? Static<S>
  : undefined;
