// The input of an operation, read from a parsed request: parameters, query and body, checked against the schemas of the
// contract. All errors of a request are reported at once.
import type { Operation, RawRequest } from "@tidings/contract";
import type { FastifyRequest } from "fastify";
import type { Config } from "../../config.ts";
import { type FieldFaults, invalid } from "../../failure.ts";
import {
  type Check,
  compileBody,
  compileQuery,
  faultsOf,
  mergeFaults,
  unreadableNumbers,
  unstorableTexts,
  withLimits,
} from "../../validation.ts";
import type { OperationInput, Translator } from "./vocabulary.ts";

type InputRequest = Pick<FastifyRequest, "url" | "headers" | "params" | "query" | "body" | "mayHoldUnstorableText">;

/** Errors are worded in the caller's vocabulary; the input that is returned is in the contract's. */
export function createInputReader(operation: Operation, translator: Translator | null, { maxRecipients }: Config) {
  const translate = <S extends object>(schema: S): S => (translator ? translator.schema(schema) : schema);
  const checkQuery = operation.query && compileQuery(translate(operation.query));
  const checkBody = operation.body && compileBody(limitedBody(translate(operation.body), maxRecipients));

  return (request: InputRequest): OperationInput => {
    const params = readParams(request);
    const query = { ...(request.query as Record<string, unknown>) };
    const given = operation.isBodyOptional ? (request.body ?? {}) : request.body;
    const body = operation.body ? given : undefined;
    if (operation.bodyType !== "raw") {
      const faults: FieldFaults = {};
      if (checkQuery) mergeFaults(faults, ...queryFaults(checkQuery, query));
      if (checkBody) mergeFaults(faults, ...bodyFaults(checkBody, body, request));
      if (Object.keys(faults).length > 0) throw invalid(faults);
    }
    const input =
      operation.bodyType === "raw" ? { params, query: {}, body: readRaw(request) } : { params, query, body };
    return translator ? translator.read(input) : input;
  };
}

const limitedBodies = new WeakMap<object, Map<number, object>>();

/** The same object for the same schema and limit: ajv compiles it once for all services in a process. */
function limitedBody(schema: object, maxRecipients: number): object {
  const known = limitedBodies.get(schema) ?? new Map<number, object>();
  const limited = known.get(maxRecipients) ?? withLimits(schema, { maxRecipients });
  limitedBodies.set(schema, known.set(maxRecipients, limited));
  return limited;
}

const faultsFound = (check: Check, value: unknown): FieldFaults => (check(value) ? {} : faultsOf(check.errors ?? []));

/** The check reads numbers and booleans out of the texts of a query, and changes it accordingly. */
const queryFaults = (check: Check, query: Record<string, unknown>): FieldFaults[] => [
  faultsFound(check, query),
  unreadableNumbers(query),
  unstorableTexts(query),
];

function bodyFaults(check: Check, body: unknown, { mayHoldUnstorableText }: InputRequest): FieldFaults[] {
  if (body === undefined || body === null) return [{ general: { messages: ["Request body is required"] } }];
  return [faultsFound(check, body), mayHoldUnstorableText ? unstorableTexts(body) : {}];
}

/**
 * Ids in paths are never refused for their form. PostgreSQL does not accept U+0000, so it is replaced by a character
 * that no identifier may have: such an id is not found.
 */
function readParams(request: InputRequest): Record<string, string> {
  const params = Object.entries(request.params as Record<string, string>);
  return Object.fromEntries(params.map(([name, value]) => [name, value.replaceAll("\0", "\ufffd")]));
}

/** For operations that check a signature over the bytes of a request. */
const readRaw = ({ url, headers, body }: InputRequest): RawRequest => ({
  url,
  headers: joinRepeated(headers),
  bytes: Buffer.isBuffer(body) ? body : Buffer.alloc(0),
});

/** Repeated headers become one text, as HTTP would join them. */
const joinRepeated = (headers: FastifyRequest["headers"]): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, [value].flat().join(", ")]],
    ),
  );
