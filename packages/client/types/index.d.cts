// Generated from packages/client/src by `npm run generate`. Do not edit.
export type { CallInput, ErrorCode, OperationId, Output } from "./api.cjs";
export { createTidings, type Tidings } from "./client.cjs";
export { fieldErrorsOf, TidingsError } from "./error.cjs";
export { readBody, readError } from "./exchange.cjs";
export { type Options, type RawInput, type RawResponse, request, send } from "./request.cjs";
