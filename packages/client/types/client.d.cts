// Generated from packages/client/src by `npm run generate`. Do not edit.
import type { CallArguments, OperationId, Output, Resources } from "./api.cjs";
import { type Options, type RawInput, type RawResponse, type SendInput } from "./request.cjs";
/** `tidings.<resource>.<method>(input)` resolves to the body of the response, and rejects with a TidingsError. */
export type Tidings = Resources & {
    /** The same by the name of the operation: `tidings.call("events.trigger", { body })`. */
    call<Id extends OperationId>(id: Id, ...input: CallArguments<Id>): Promise<Output<Id>>;
    /** Any input, one try, and the response whatever its status. */
    raw(id: OperationId, input?: RawInput): Promise<RawResponse>;
    /** One request to any path, for streams and files. Its signal is its only time limit. */
    send(method: string, path: string, input?: SendInput): Promise<Response>;
};
export declare function createTidings(options: Options): Tidings;
