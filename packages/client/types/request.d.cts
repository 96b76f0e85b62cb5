// Generated from packages/client/src by `npm run generate`. Do not edit.
import type { OperationId } from "./api.cjs";
import { type Target } from "./exchange.cjs";
type HeaderValues = Record<string, string | undefined>;
export type Options = Target & {
    /** The secret key of an environment: for servers only. */
    apiKey?: string | undefined;
    /** The token of an inbox session: what a browser uses instead of the key. */
    token?: string | undefined;
    /** Tries after the first one, of a request that got no response, 408, 429, 500, 502, 503 or 504. */
    retries?: number;
    /** Milliseconds that one try may take; 0 for no limit. */
    timeout?: number;
    /** Sent with every request; a function where they differ by method. */
    headers?: HeaderValues | ((method: string) => HeaderValues);
    /** Whether cookies are sent: `same-origin` for pages that the service itself serves. */
    credentials?: RequestInit["credentials"];
};
/** An input that no schema has checked: what the service may be sent when the point is to see it refused. */
export type RawInput = {
    params?: Record<string, unknown>;
    query?: Record<string, unknown>;
    body?: unknown;
    headers?: HeaderValues;
    signal?: AbortSignal;
    timeout?: number;
};
export type RawResponse = {
    status: number;
    headers: Headers;
    body: unknown;
};
/** One request to any path of the service. */
export type SendInput = Omit<RawInput, "params" | "query" | "timeout"> & {
    query?: object;
    redirect?: RequestInit["redirect"];
};
/** The body of a successful response. */
export declare function request<T>(options: Options, id: OperationId, input: RawInput): Promise<T>;
/** Every response unchanged, whatever its status, after one try. Rejects only when there is none. */
export declare function requestRaw(options: Options, id: OperationId, input: RawInput): Promise<RawResponse>;
/**
 * One request to any path, for streams and files: the response, whatever its status. It has no time limit but its
 * signal.
 */
export declare function send(options: Options, method: string, path: string, input?: SendInput): Promise<Response>;
export {};
