// Generated from packages/client/src by `npm run generate`. Do not edit.
import type { ErrorCode } from "./api.cjs";
type ErrorOptions = {
    retryAfter?: number;
    cause?: unknown;
    isTimeout?: boolean;
};
/** A response outside 2xx, one that is not the service's, or no response at all. */
export declare class TidingsError extends Error {
    readonly name = "TidingsError";
    /** 0 when there was no response. */
    readonly status: number;
    /** The stable name of the error; undefined when the response came from something in between, such as a proxy. */
    readonly code: ErrorCode | undefined;
    /** The body of the response, parsed where it is JSON. */
    readonly body: unknown;
    /** Seconds, where the service named them. */
    readonly retryAfter: number | undefined;
    /** The time limit passed without a response: whether the service did the work is unknown. */
    readonly isTimeout: boolean;
    constructor(operation: string, status: number, body: unknown, options?: ErrorOptions);
}
/** What an error body says about single fields of the request, such as `steps.0.name`. */
export declare function fieldErrorsOf(body: unknown): {
    field: string;
    messages: string[];
}[];
export {};
