// Serializers of responses, by the schema of the contract.
import fastJsonStringify, { type AnySchema } from "fast-json-stringify";
import { formats } from "../../validation.ts";

type Serialiser = (answer: unknown) => string;

/** By schema: services in one process share them. */
const serialisers = new WeakMap<object, Serialiser>();

// Responses are not checked against the formats of the contract; ajv would print a warning for each that it does not
// know.
const knownFormats = Object.fromEntries(Object.keys(formats).map((name) => [name, true as const]));

/** Serialisers of all operations take a quarter of a second to compile: each is compiled for its first response. */
export function serialiserOf(schema: object): Serialiser {
  let stringify = serialisers.get(schema);
  if (!stringify) {
    // ajv would print a warning for a schema of alternatives that only say which members are required.
    stringify = fastJsonStringify(schema as AnySchema & object, { ajv: { strictTypes: false, formats: knownFormats } });
    serialisers.set(schema, stringify);
  }
  return stringify;
}
