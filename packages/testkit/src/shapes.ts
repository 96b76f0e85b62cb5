// Checks a response against its schema in the contract.
import assert from "node:assert/strict";
import { type Operation, type OperationId, operations } from "@tidings/contract";
import { compileBody } from "@tidings/server/source/validation";

export function assertShape(id: OperationId, body: unknown): void {
  const { success }: Operation = operations[id];
  const check = compileBody(success.schema!);
  assert.ok(check(body), JSON.stringify(check.errors?.map(({ instancePath, message }) => [instancePath, message])));
}
