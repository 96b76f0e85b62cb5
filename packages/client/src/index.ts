// The client of the API for other people's programs. Types come from the contract and vanish when this is built; at run time there
// is a table of methods and paths and what is here.
export { createTidings, type Tidings } from "./client.ts";
export { TidingsError } from "./error.ts";
export type { Options } from "./request.ts";
