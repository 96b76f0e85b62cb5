// The client of the API: for other people's programs, and for the dashboard, the command line and the tests here. Types
// come from the contract and vanish when this is built; at run time there is a table of methods and paths and what is
// here.
export { createTidings, type Tidings } from "./client.ts";
export { fieldErrorsOf, TidingsError } from "./error.ts";
export { readBody, readError } from "./exchange.ts";
export { type Options, type RawInput, type RawResponse, request, send } from "./request.ts";
