// The id of a request: in the header `x-request-id` of its response, and in its log lines (`reqId`). A caller may give
// its own, so that its logs and these can be joined.
import type { IncomingHttpHeaders } from "node:http";
import { newId } from "../../lib/ids.ts";

/** Harmless wherever a log is shown. */
const givenPattern = /^[\w.:-]{1,128}$/;

export function requestIdOf(headers: IncomingHttpHeaders): string {
  const given = headers["x-request-id"];
  return typeof given === "string" && givenPattern.test(given) ? given : newId();
}
