// Calls the operations of the contract, as the member who is signed in: with the session's cookie, its CSRF token and
// the chosen environment. Types come from the contract, so that no schema is part of what the browser loads.
import { type Options, type RawInput, readBody, request, send, TidingsError } from "@tidings/client/source";
import type { CallInput, OperationId, Output } from "@tidings/contract";
import { ApiError, noAnswer } from "./api-error.ts";
import { limitMs, watchCall } from "./connection.ts";

type Credentials = { csrfToken: string; environmentId: string };

let credentials: Credentials = { csrfToken: "", environmentId: "" };

/** Called by the session when it was read, and when the person chose another environment. */
export function setCredentials(changed: Partial<Credentials>): void {
  credentials = { ...credentials, ...changed };
}

/**
 * The folder the service is reached at, ending in a slash: `<base href>`, which differs behind a proxy with a prefix.
 */
export const baseUrl = (): string => document.baseURI.slice(0, document.baseURI.lastIndexOf("/") + 1);

/** TanStack Query decides on retries, and shows them. */
const options = (): Options => ({
  baseUrl: baseUrl(),
  credentials: "same-origin",
  retries: 0,
  headers: (method) => (method === "GET" ? {} : { "x-csrf-token": credentials.csrfToken }),
});

/** Without an id, the environment that the member has chosen. */
const inEnvironment = (id = credentials.environmentId) => ({ "x-tidings-environment": id || undefined });

/** The result of an operation; rejects with an ApiError. */
export async function callOperation<Id extends OperationId>(
  id: Id,
  input: CallInput<Id>,
  environmentId?: string,
): Promise<Output<Id>> {
  const { params, query, body, signal } = input as RawInput;
  const isPatient = patientOperations.has(id) || body instanceof FormData;
  const timeout = isPatient ? patientLimitMs : limitMs;
  const call = { params, query, body, signal, timeout, headers: inEnvironment(environmentId) };
  const result = watched(isPatient, signal, () => request<Output<Id>>(options(), id, call));
  inProgress.add(result);
  return result.finally(() => inProgress.delete(result));
}

const patientLimitMs = 180_000;

/** These move files, wait for a provider, or do much in one step. */
const patientOperations: ReadonlySet<OperationId> = new Set<OperationId>([
  "audiences.snapshot",
  "backtests.create",
  "backtests.person",
  "bridge.sync",
  "broadcasts.resend",
  "deadLetterReplays.preview",
  "deadLetters.replayMany",
  "environments.publish",
  "environments.restorePublish",
  "environments.updateClock",
  "imports.create",
  "imports.preview",
  "integrations.create",
  "integrations.update",
  "integrations.autoConfigure",
  "sources.check",
  "sources.create",
  "sources.update",
  "translations.importMaster",
  "webhooks.test",
  "workflows.sync",
]);

const inProgress = new Set<Promise<unknown>>();

/** Resolves when the calls in progress have a response or failed. */
export async function callsSettled(): Promise<void> {
  await Promise.allSettled(inProgress);
}

/** Tells the connection how the call ended. */
async function watched<T>(isPatient: boolean, signal: AbortSignal | undefined, call: () => Promise<T>): Promise<T> {
  const watch = watchCall(isPatient);
  try {
    const result = await call();
    watch.end(200);
    return result;
  } catch (error) {
    if (signal?.aborted || !(error instanceof TidingsError)) {
      watch.drop();
      throw error;
    }
    watch.end(error.status);
    throw error.isTimeout ? noAnswer() : new ApiError(error.status, error.body, error.retryAfter);
  }
}

/** Saves the response of a path as a file. A link could not name the environment, so the browser reads it first. */
export async function downloadFile(
  path: string,
  query: object,
  fileName: string,
  method: "GET" | "POST" = "GET",
): Promise<void> {
  const signal = AbortSignal.timeout(patientLimitMs);
  const headers = { accept: undefined, ...inEnvironment() };
  const response = await send(options(), method, `/${path}`, { query, headers, signal }).catch(() => {
    throw signal.aborted ? noAnswer() : new ApiError(0, undefined);
  });
  if (!response.ok) throw new ApiError(response.status, await readBody(response));
  saveFile(await response.blob(), fileName);
}

export function saveFile(content: Blob, fileName: string): void {
  const url = URL.createObjectURL(content);
  const link = Object.assign(document.createElement("a"), { href: url, download: fileName });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
