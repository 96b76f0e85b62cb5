// The types in the package (types/api.d.cts, generated from the OpenAPI document) and those of the contract.
import assert from "node:assert/strict";
import { test } from "node:test";
import type * as contract from "@tidings/contract";
import type { CallInput, ErrorCode, OperationId, Output, Resources } from "../types/api.d.cts";

type IsSame<A, B> = [A, B] extends [B, A] ? true : false;

/** Files are sent as a form; the contract describes what the service reads from it. */
type Forms = "assets.create" | "translations.upload" | "translations.uploadMaster";
/** The schemas say more than the contract's types: the words for `type`, and that the members of a query are texts. */
type Narrower = `environments.${"create" | "list" | "update"}` | "inboundWebhooks.receiveByGet";

type DifferingOutput<Id extends OperationId> = Id extends Narrower
  ? Output<Id> extends contract.Output<Id>
    ? never
    : `output of ${Id}`
  : IsSame<Output<Id>, contract.Output<Id>> extends true
    ? never
    : `output of ${Id}`;

type DifferingInput<Id extends OperationId> = Id extends Forms
  ? never
  : Id extends Narrower
    ? CallInput<Id> extends contract.CallInput<Id>
      ? never
      : `input of ${Id}`
    : IsSame<CallInput<Id>, contract.CallInput<Id>> extends true
      ? never
      : `input of ${Id}`;

/** `events.trigger` and so on. */
type Methods<R> = { [Name in keyof R & string]: `${Name}.${keyof R[Name] & string}` }[keyof R & string];

type Differing =
  | { [Id in OperationId]: DifferingOutput<Id> | DifferingInput<Id> }[OperationId]
  | (IsSame<OperationId, contract.OperationId> extends true ? never : "operations")
  | (IsSame<ErrorCode, contract.ErrorCode> extends true ? never : "codes")
  | (IsSame<Methods<Resources>, Methods<contract.Resources>> extends true ? never : "methods");

test("the types of the package are those of the contract", () => {
  // Where an operation differs, the compiler names it here.
  const differing: [Differing] extends [never] ? "nothing" : `differs: ${Differing}` = "nothing";
  assert.equal(differing, "nothing");
});
