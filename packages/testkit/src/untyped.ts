// Input that the contract forbids, or that the compiler cannot compare with it, such as a list that a test computes.
import type { OperationId, Output } from "@tidings/contract";
import type { Answer, Client, RawInput } from "./client.ts";

type UntypedClient = <Id extends OperationId>(id: Id, input: RawInput) => Promise<Answer<Output<Id>>>;

/** The same client for any input. Where the service is to refuse it, `client.raw` returns the response. */
export const untyped = (client: Client): UntypedClient => client as UntypedClient;
