// What an alias is: a request of the older API, and how the operations of the contract serve it.
import type { CallInput, OperationId, Output } from "@tidings/contract";
import type { JsonObject } from "../../lib/json.ts";

export type AliasRequest = { params: Record<string, string>; query: JsonObject; body: JsonObject };

/** Asks an operation as the caller. A refusal ends the alias, and is its response. */
export type Ask = <Id extends OperationId>(id: Id, input?: CallInput<Id>) => Promise<Output<Id>>;

/** `body` is undefined for a response without one. */
export type AliasAnswer = { status: number; body?: unknown };
export type Alias = (request: AliasRequest, ask: Ask) => Promise<AliasAnswer>;
