// The request of a step in its run, ready to be sent, and what is shown of it.
import type { JsonObject } from "../../lib/json.ts";
import { templateScope } from "../rules/scope.ts";
import type { Facts, JobState, Run } from "../run/run.ts";
import { shownHeaders, shownUrl } from "./mask.ts";
import { type HttpCall, noVariables, type RequestVariables, readRequest } from "./request.ts";

/** `shown`: what the details of the job say about it, without secrets. */
export type PreparedCall = { request: HttpCall; shown: JsonObject; secretValues: readonly string[] };

/** The variables of the environment that requests of this run may use. */
const variablesOf = (_run: Run): RequestVariables => noVariables;

/** What the step sends now. */
export const requestOf = (run: Run, job: JobState, facts: Facts, now: Date): HttpCall | { fault: string } =>
  readRequest(job.step.controlValues, templateScope({ run, job, facts, now }), variablesOf(run));

/** The key is the same on every attempt, so that the host can tell a repeated request. */
export function prepareCall(run: Run, job: JobState, request: HttpCall): PreparedCall {
  const { secretValues } = variablesOf(run);
  const headers = { ...request.headers, "idempotency-key": job.id };
  return { request: { ...request, headers }, shown: shownRequest({ ...request, headers }, secretValues), secretValues };
}

/** A request as its details show it. */
export const shownRequest = ({ method, url, headers }: HttpCall, secretValues: readonly string[]) => ({
  method,
  url: shownUrl(url, secretValues),
  headers: shownHeaders(headers, secretValues),
});
