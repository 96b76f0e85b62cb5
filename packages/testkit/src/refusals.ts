// Assertions on refused requests.
import assert from "node:assert/strict";
import { type ErrorCode, errorCatalogue, type OperationId } from "@tidings/contract";
import type { RawInput } from "./client.ts";
import { type ErrorBody, errorOf } from "./http.ts";
import type { TestService } from "./service.ts";

type Client = TestService["client"];

/** Calls an operation that has to be refused with this code; returns the error body. */
export const refused = async (client: Client, id: OperationId, input: RawInput, code: ErrorCode): Promise<ErrorBody> =>
  errorOf(await client.raw(id, input), code);

/** The same for errors of the request's shape: field path → messages. */
export async function faultsOf(client: Client, id: OperationId, input: RawInput): Promise<Record<string, string[]>> {
  const { errors } = await refused(client, id, input, "VALIDATION_ERROR");
  return Object.fromEntries(Object.entries(errors ?? {}).map(([field, { messages }]) => [field, messages]));
}

type Refusal = { code: ErrorCode; message?: string; errors?: Record<string, readonly string[]> };

/** Calls, and expects exactly this error; `errors` names every invalid field with its messages. */
export async function assertRefused(client: Client, id: OperationId, input: RawInput, expected: Refusal) {
  const { status, body } = await client.raw(id, input);
  const error = body as { code: string; message: string; errors?: Record<string, { messages: string[] }> };
  assert.equal(error?.code, expected.code, JSON.stringify(body));
  assert.equal(status, errorCatalogue[expected.code].status);
  if (expected.message !== undefined) assert.equal(error.message, expected.message);
  if (expected.errors) {
    const messages = Object.entries(error.errors ?? {}).map(([field, fault]) => [field, fault.messages]);
    assert.deepEqual(Object.fromEntries(messages), expected.errors);
  }
  return body as Record<string, unknown>;
}
