// The client of the API: for other people's programs, and for the dashboard, the command line and the tests here. Types
// come from the contract, in the package from types/api.d.cts; at run time there is a table of methods and paths and
// what is here.
export type { CallInput, ErrorCode, OperationId, Output } from "@tidings/contract";
export { createTidings, type Tidings } from "./client.ts";
export { fieldErrorsOf, TidingsError } from "./error.ts";
export { readBody, readError } from "./exchange.ts";
export { type Options, type RawInput, type RawResponse, request, send } from "./request.ts";
