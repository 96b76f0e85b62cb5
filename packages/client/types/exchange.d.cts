// Generated from packages/client/src by `npm run generate`. Do not edit.
export type Target = {
    /** Origin of the service, with a path prefix where it is behind one: `https://tidings.example.com`. */
    baseUrl: string;
    fetch?: typeof globalThis.fetch;
};
/** `json`: a value that is sent as the body. */
export type Exchange = RequestInit & {
    headers?: Record<string, string>;
    json?: unknown;
};
/** The response, whatever its status. Rejects as `fetch` does. */
export declare function exchange({ baseUrl, fetch }: Target, path: string, init: Exchange): Promise<Response>;
/** The response's JSON; its text where it is not JSON, which the service never sends: a proxy's page. */
export declare function readBody(response: Response): Promise<unknown>;
type ErrorBody = {
    code?: string;
    message?: string;
    errorId?: string;
};
/** What an error body says (docs/errors.md); nothing where the response is not the service's. */
export declare const readError: (body: unknown) => ErrorBody;
export {};
