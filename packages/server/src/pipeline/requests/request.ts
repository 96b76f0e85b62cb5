// The request of an `http_request` step: its templates rendered, with the values of this run. Pure.
import { type HttpMethod, httpMethods } from "@tidings/contract";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { storableText } from "../../lib/text/storable-text.ts";
import { OverBudgetError, withinBudget } from "../../lib/work.ts";
import { renderJson } from "../render/json-template.ts";
import { RenderError, render } from "../render/liquid.ts";
import { maskSecrets } from "./mask.ts";

export type HttpCall = { method: HttpMethod; url: string; headers: Record<string, string>; body?: string };

/**
 * The variables of the environment as a request may use them: with the secret ones. `secretValues` are masked in
 * everything that is stored or shown.
 */
export type RequestVariables = { env: Readonly<Record<string, string>>; secretValues: readonly string[] };

type Pair = { key: string; value: string };

const pairsIn = (value: unknown): Pair[] =>
  Array.isArray(value)
    ? value.flatMap((one) =>
        isObject(one) && typeof one.key === "string" && typeof one.value === "string" && one.key !== ""
          ? [{ key: one.key, value: one.value }]
          : [],
      )
    : [];

/** Headers that belong to the connection, and those that the service sets. */
const ownHeaders =
  /^(?:host|connection|keep-alive|content-length|transfer-encoding|accept-encoding|upgrade|te|trailer|expect|proxy-.*|idempotency-key)$/i;

/** Why a header of this name cannot be sent; null when it can. */
export function headerFault(name: string): string | null {
  if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/i.test(name)) return `the header ${JSON.stringify(name)} has no valid name`;
  return ownHeaders.test(name) ? `the header ${name} is set by the service` : null;
}

/** Why a request cannot be sent to this address; null when it may be. */
export function urlFault(url: string): string | null {
  if (url === "") return "url is empty";
  return /^https?:\/\//i.test(url) && URL.parse(url) !== null
    ? null
    : `url must be a web address that begins with https:// or http://, and is ${url}`;
}

class RequestFault extends Error {}

const maxFaultLength = 500;

/** `fault`: why no request can be sent. It names no secret. */
export function readRequest(
  values: JsonObject,
  scope: object,
  variables: RequestVariables,
): HttpCall | { fault: string } {
  const whole = { ...scope, env: variables.env };
  try {
    return withinBudget(() => buildRequest(values, whole));
  } catch (error) {
    // Masked before it is cut, so that no part of a secret is left.
    return { fault: storableText(maskSecrets(faultOf(error), variables.secretValues), maxFaultLength) };
  }
}

type RenderText = (template: unknown) => string;

function faultOf(error: unknown): string {
  if (error instanceof RenderError) return [error.message, error.position].filter(Boolean).join(", ");
  if (error instanceof RequestFault || error instanceof OverBudgetError) return error.message;
  throw error;
}

function buildRequest(values: JsonObject, scope: object): HttpCall {
  const text: RenderText = (template) => (typeof template === "string" ? render(template, scope, "text") : "");
  const method = httpMethods.find((one) => one === (values.method ?? "POST"));
  if (!method) throw new RequestFault(`method must be one of: ${httpMethods.join(", ")}`);
  const url = text(values.url).trim();
  const fault = urlFault(url);
  if (fault) throw new RequestFault(fault);
  const headers = headersOf(values.headers, text);
  const body = hasBody(method) ? bodyOf(values.body, scope, text) : undefined;
  if (body !== undefined) headers["content-type"] ??= "application/json";
  return { method, url, headers, ...(body !== undefined && { body }) };
}

function headersOf(given: unknown, text: RenderText): Record<string, string> {
  const headers: Record<string, string> = { accept: "application/json" };
  for (const { key, value } of pairsIn(given)) {
    const name = text(key).trim();
    const fault = headerFault(name);
    if (fault) throw new RequestFault(fault);
    headers[name.toLowerCase()] = text(value)
      .replaceAll(/[\r\n]+/g, " ")
      .trim();
  }
  return headers;
}

const hasBody = (method: HttpMethod): boolean => !["GET", "HEAD", "OPTIONS"].includes(method);

/** A list of pairs becomes an object of texts, a text is JSON with variables (render/json-template.ts). */
function bodyOf(given: unknown, scope: object, text: RenderText): string | undefined {
  if (Array.isArray(given)) {
    const members = pairsIn(given).map(({ key, value }) => [text(key), text(value)]);
    return JSON.stringify(Object.fromEntries(members));
  }
  if (typeof given !== "string" || given.trim() === "") return undefined;
  try {
    return JSON.stringify(renderJson(given, scope));
  } catch (error) {
    if (!(error instanceof RenderError)) throw error;
    throw new RequestFault(`body: ${[error.message, error.position].filter(Boolean).join(", ")}`);
  }
}
