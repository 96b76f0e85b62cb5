// What a refused request says.
import type { ErrorCode, OperationId, RawInput } from "@tidings/contract";
import { type ErrorBody, errorOf } from "./http.ts";
import type { TestService } from "./service.ts";

/** Calls an operation that has to be refused with this code; answers the error body. */
export const refused = async (
  client: TestService["client"],
  id: OperationId,
  input: RawInput,
  code: ErrorCode,
): Promise<ErrorBody> => errorOf(await client.raw(id, input), code);

/** The same for faults of the request's shape: field path → messages. */
export async function faultsOf(
  client: TestService["client"],
  id: OperationId,
  input: RawInput,
): Promise<Record<string, string[]>> {
  const { errors } = await refused(client, id, input, "VALIDATION_ERROR");
  return Object.fromEntries(Object.entries(errors ?? {}).map(([field, { messages }]) => [field, messages]));
}
