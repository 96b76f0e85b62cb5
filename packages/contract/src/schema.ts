// The one place that imports the schema library. A TypeBox value *is* a JSON Schema, so validation, serialisation,
// OpenAPI and types all read the same object. A schema with a `title` becomes a named component in OpenAPI.
import Type, { type Static, type TObject, type TProperties, type TSchema } from "typebox";

export { type Static, type TObject, type TProperties, type TSchema, Type };

/** A JSON object with any members. */
export type JsonObject = Record<string, unknown>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A closed set of words. */
export function oneOf<const V extends readonly string[]>(values: V, options: JsonObject = {}) {
  return Type.Unsafe<V[number]>({ type: "string", enum: [...values], ...options });
}

export function nullableString(options: JsonObject = {}) {
  return Type.Unsafe<string | null>({ type: ["string", "null"], ...options });
}

export function nullableBoolean(options: JsonObject = {}) {
  return Type.Unsafe<boolean | null>({ type: ["boolean", "null"], ...options });
}

export function openObject(options: JsonObject = {}) {
  return Type.Unsafe<JsonObject>({ type: "object", additionalProperties: true, ...options });
}

export function nullableOpenObject(options: JsonObject = {}) {
  return Type.Unsafe<JsonObject | null>({ type: ["object", "null"], additionalProperties: true, ...options });
}

/** A query parameter that may be repeated; one value is a list of one (the edge wraps it). */
export function repeated<S extends TSchema>(items: S, options: JsonObject = {}) {
  return Type.Array(items, options);
}

export function isoTime(description: string) {
  return Type.String({ description: `${description} (ISO 8601, UTC)` });
}

/** An object that carries a name into the OpenAPI document. */
export function named<P extends TProperties>(title: string, properties: P, options: JsonObject = {}): TObject<P> {
  return Type.Object(properties, { title, ...options });
}

/** A file of a form, as the service sees it. */
export type UploadedFile = {
  fileName: string;
  contentType: string;
  /** One character per byte: a JSON value like any other, whatever the file holds. */
  bytes: string;
};

/** A file in a multipart body; OpenAPI shows it as a binary string. */
export function uploadedFile(options: JsonObject = {}) {
  return Type.Unsafe<UploadedFile>({ type: "object", isUpload: true, ...options });
}

/** A request as it was sent, for operations that check a signature over its bytes. */
export type RawRequest = {
  /** Path and query, as they were written. */
  url: string;
  /** Names in lower case. */
  headers: Record<string, string | undefined>;
  /** The body; a GET has none. */
  bytes: Uint8Array;
};
