// The request of a step in its run, ready to be sent, and what is shown of it.
import { templateScope } from "../rules/scope.ts";
import type { Facts, JobState, Run } from "../run/run.ts";
import { noVariables, openVariables } from "../run/variables.ts";
import { shownHeaders, shownUrl } from "./mask.ts";
import { type HttpCall, readRequest } from "./request.ts";

type ShownRequest = { method: string; url: string; headers: Record<string, string> };

/** `shown`: what the details of the job say about it, without secrets. */
export type PreparedCall = { request: HttpCall; shown: ShownRequest; secretValues: readonly string[] };

/** What the step sends now. The key is the same on every attempt, so that the host can tell a repeated request. */
export function requestOf(run: Run, job: JobState, facts: Facts, now: Date): PreparedCall | { fault: string } {
  const variables = openVariables(facts.secrets, facts.variables.get(run.environmentId) ?? noVariables);
  const request = readRequest(job.step.controlValues, templateScope({ run, job, facts, now }), variables);
  return "fault" in request ? request : withKey(request, job.id, variables.secretValues);
}

export function withKey(request: HttpCall, key: string, secretValues: readonly string[]): PreparedCall {
  const keyed = { ...request, headers: { ...request.headers, "idempotency-key": key } };
  const shown = {
    method: keyed.method,
    url: shownUrl(keyed.url, secretValues),
    headers: shownHeaders(keyed.headers, secretValues),
  };
  return { request: keyed, shown, secretValues };
}
