// Generated from packages/client/src by `npm run generate`. Do not edit.
export type { CallInput, ErrorCode, OperationId, Output } from "./api.cjs";
export { createTidings, type Tidings } from "./client.js";
export { fieldErrorsOf, TidingsError } from "./error.js";
export { readBody, readError } from "./exchange.js";
export { type Options, type RawInput, type RawResponse, request, send } from "./request.js";
