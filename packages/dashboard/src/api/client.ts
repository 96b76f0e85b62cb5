// Calls the operations of the contract. Types come from the contract; at run time there is only a table of methods and paths
// (@tidings/client/operations), so that no schema is part of what the browser loads.

import { operationPaths } from "@tidings/client/operations";
import type { CallInput, OperationId, Output } from "@tidings/contract";
import { ApiError, noAnswer } from "./api-error.ts";
import { limitMs, watchCall } from "./connection.ts";

type Credentials = { csrfToken: string; environmentId: string };

let credentials: Credentials = { csrfToken: "", environmentId: "" };

/** Called by the session when it was read, and when the person chose another environment. */
export function setCredentials(changed: Partial<Credentials>): void {
  credentials = { ...credentials, ...changed };
}

/** The folder the service is reached at, ending in a slash: `<base href>`, which differs behind a proxy with a prefix. */
export const baseUrl = (): string => document.baseURI.slice(0, document.baseURI.lastIndexOf("/") + 1);

type SendInput = {
  query?: object;
  body?: unknown;
  signal?: AbortSignal;
  /** May take its time. */
  isPatient?: boolean;
  /** Unless told otherwise, the environment that the person has chosen. */
  environmentId?: string;
};
type LooseInput = SendInput & { params?: object };

/** The answer of an operation; rejects with an ApiError. */
export async function callOperation<Id extends OperationId>(
  id: Id,
  input: CallInput<Id>,
  environmentId?: string,
): Promise<Output<Id>> {
  const [method, path] = operationPaths[id];
  const { params = {}, query, body, signal } = input as LooseInput;
  const isPatient = patientOperations.has(id);
  const answer = send<Output<Id>>(method, fillPath(path, params), { query, body, signal, environmentId, isPatient });
  underWay.add(answer);
  return answer.finally(() => underWay.delete(answer));
}

const patientLimitMs = 180_000;

/** These move files, wait for a provider, or do much in one step. */
const patientOperations: ReadonlySet<OperationId> = new Set<OperationId>([
  "bridge.sync",
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
  "translations.importMaster",
  "webhooks.test",
  "workflows.sync",
]);

const underWay = new Set<Promise<unknown>>();

/** Resolves when the calls that are under way have an answer or failed. */
export async function callsSettled(): Promise<void> {
  await Promise.allSettled(underWay);
}

async function send<T>(method: string, path: string, input: SendInput = {}): Promise<T> {
  const headers: Record<string, string> = { accept: "application/json" };
  const environmentId = input.environmentId ?? credentials.environmentId;
  if (environmentId !== "") headers["x-tidings-environment"] = environmentId;
  if (method !== "GET") headers["x-csrf-token"] = credentials.csrfToken;
  const isForm = input.body instanceof FormData;
  if (input.body !== undefined && !isForm) headers["content-type"] = "application/json";
  const isPatient = isForm || input.isPatient === true;
  const url = new URL(path.slice(1) + queryText(input.query), baseUrl());
  const response = await request(url, input.signal, isPatient, {
    method,
    headers,
    body: isForm ? (input.body as FormData) : input.body === undefined ? undefined : JSON.stringify(input.body),
  });
  const answer = parseBody(response.text);
  // A proxy's HTML page with status 200 must not pass for the record that was asked for.
  if (!response.ok || typeof answer === "string") throw new ApiError(response.status, answer, response.retryAfter);
  return answer as T;
}

type Received = { ok: boolean; status: number; retryAfter: string | null; text: string };

/** The whole answer within the time limit, or an ApiError with status 0. */
async function request(
  url: URL,
  signal: AbortSignal | undefined,
  isPatient: boolean,
  init: RequestInit,
): Promise<Received> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), isPatient ? patientLimitMs : limitMs);
  const watched = watchCall(isPatient);
  try {
    const response = await fetch(url, {
      credentials: "same-origin",
      signal: signal ? AbortSignal.any([signal, limit.signal]) : limit.signal,
      ...init,
    });
    const text = await response.text();
    watched.end(response.status);
    const { ok, status, headers } = response;
    return { ok, status, retryAfter: headers.get("retry-after"), text };
  } catch (error) {
    if (signal?.aborted) {
      watched.drop();
      throw error;
    }
    watched.end(0);
    throw limit.signal.aborted ? noAnswer() : new ApiError(0, undefined);
  } finally {
    clearTimeout(timer);
  }
}

/** Saves what a path answers as a file. A link could not name the environment, so the browser reads it first. */
export async function downloadFile(path: string, query: object, fileName: string): Promise<void> {
  const headers = { "x-tidings-environment": credentials.environmentId };
  const response = await fetch(new URL(path + queryText(query), baseUrl()), {
    headers,
    credentials: "same-origin",
    signal: AbortSignal.timeout(patientLimitMs),
  }).catch((error: unknown) => {
    throw (error as Error).name === "TimeoutError" ? noAnswer() : new ApiError(0, undefined);
  });
  if (!response.ok) throw new ApiError(response.status, parseBody(await response.text()));
  saveFile(await response.blob(), fileName);
}

export function saveFile(content: Blob, fileName: string): void {
  const url = URL.createObjectURL(content);
  const link = Object.assign(document.createElement("a"), { href: url, download: fileName });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

function fillPath(path: string, params: object): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = String((params as Record<string, unknown>)[name] ?? "");
    // URL parsers resolve these even when percent-encoded: another resource would be addressed.
    if (["", ".", ".."].includes(value)) throw new TypeError(`${name} cannot be "${value}" in a path`);
    return encodeURIComponent(value);
  });
}

function queryText(query: object = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value]) if (one !== undefined) search.append(name, String(one));
  }
  return search.size > 0 ? `?${search}` : "";
}

function parseBody(text: string): unknown {
  if (text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
