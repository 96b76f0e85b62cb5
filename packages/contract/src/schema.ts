// The one place that imports the schema library. A TypeBox value *is* a JSON Schema, so validation, serialisation,
// OpenAPI and types all read the same object. A schema with a `title` becomes a named component in OpenAPI.
import Type, { type Static, type TObject, type TProperties, type TSchema } from "typebox";

export { type Static, type TObject, type TProperties, type TSchema, Type };

type Options = Record<string, unknown>;

/** A closed set of words. */
export const oneOf = <const V extends readonly string[]>(values: V, options: Options = {}) =>
  Type.Unsafe<V[number]>({ type: "string", enum: [...values], ...options });

export const nullableString = (options: Options = {}) =>
  Type.Unsafe<string | null>({ type: ["string", "null"], ...options });

export const nullableBoolean = (options: Options = {}) =>
  Type.Unsafe<boolean | null>({ type: ["boolean", "null"], ...options });

/** A JSON object whose members are the caller's business. */
export type OpenObject = Record<string, unknown>;

export const openObject = (options: Options = {}) =>
  Type.Unsafe<OpenObject>({ type: "object", additionalProperties: true, ...options });

export const nullableOpenObject = (options: Options = {}) =>
  Type.Unsafe<OpenObject | null>({ type: ["object", "null"], additionalProperties: true, ...options });

/** A query parameter that may be repeated; one value is a list of one (the edge wraps it). */
export const repeated = <S extends TSchema>(items: S, options: Options = {}) => Type.Array(items, options);

export const isoTime = (description: string) => Type.String({ description: `${description} (ISO 8601, UTC)` });

/** An object that carries a name into the OpenAPI document. */
export const named = <P extends TProperties>(title: string, properties: P, options: Options = {}): TObject<P> =>
  Type.Object(properties, { title, ...options });

/** A file of a form, as the service sees it. */
export type UploadedFile = {
  fileName: string;
  contentType: string;
  /** One character per byte: a JSON value like any other, whatever the file holds. */
  bytes: string;
};

/** A file in a multipart body; OpenAPI shows it as a binary string. */
export const uploadedFile = (options: Options = {}) =>
  Type.Unsafe<UploadedFile>({ type: "object", isUpload: true, ...options });

/** A request as it was sent, for operations that check a signature over its bytes. */
export type RawRequest = {
  /** Path and query, as they were written. */
  url: string;
  /** Names in lower case. */
  headers: Record<string, string | undefined>;
  /** The body; a GET has none. */
  bytes: Uint8Array;
};
