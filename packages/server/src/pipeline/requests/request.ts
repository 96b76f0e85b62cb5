// The request of an `http_request` step: its templates rendered, with the values of this run. Pure.
import { type HttpMethod, httpMethods } from "@tidings/contract";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { OverBudgetError, withinBudget } from "../../lib/work.ts";
import { RenderError, type RenderTarget, render } from "../render/liquid.ts";
import { maskSecrets } from "./mask.ts";

export type HttpCall = { method: HttpMethod; url: string; headers: Record<string, string>; body?: string };

/**
 * The variables of the environment as a request may use them: with the secret ones. `secretValues` are masked in
 * everything that is stored or shown.
 */
export type RequestVariables = { env: Readonly<Record<string, string>>; secretValues: readonly string[] };

export const noVariables: RequestVariables = { env: {}, secretValues: [] };

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
    : `url must be a web address that begins with https:// or http://: ${url.slice(0, 200)}`;
}

class RequestFault extends Error {}

/** `fault`: why no request can be sent. It names no secret. */
export function readRequest(
  values: JsonObject,
  scope: object,
  variables: RequestVariables,
): HttpCall | { fault: string } {
  const whole = { ...scope, env: variables.env };
  const text: RenderText = (template, target = "text") =>
    typeof template === "string" ? render(template, whole, target) : "";
  try {
    return withinBudget(() => buildRequest(values, text));
  } catch (error) {
    return { fault: maskSecrets(faultOf(error), variables.secretValues) };
  }
}

type RenderText = (template: unknown, target?: RenderTarget) => string;

function faultOf(error: unknown): string {
  if (error instanceof RenderError) return [error.message, error.position].filter(Boolean).join(", ");
  if (error instanceof RequestFault || error instanceof OverBudgetError) return error.message;
  throw error;
}

function buildRequest(values: JsonObject, text: RenderText): HttpCall {
  const method = httpMethods.find((one) => one === (values.method ?? "POST"));
  if (!method) throw new RequestFault(`method must be one of: ${httpMethods.join(", ")}`);
  const url = text(values.url).trim();
  const fault = urlFault(url);
  if (fault) throw new RequestFault(fault);
  const headers = headersOf(values.headers, text);
  const body = hasBody(method) ? bodyOf(values.body, text) : undefined;
  if (body !== undefined) headers["content-type"] ??= "application/json";
  return { method, url, headers, ...(body !== undefined && { body }) };
}

function headersOf(given: unknown, text: RenderText): Record<string, string> {
  const headers: Record<string, string> = { accept: "application/json" };
  for (const { key, value } of pairsIn(given)) {
    const name = text(key).trim();
    const fault = headerFault(name.slice(0, 256));
    if (fault) throw new RequestFault(fault);
    headers[name.toLowerCase()] = text(value)
      .replaceAll(/[\r\n]+/g, " ")
      .trim();
  }
  return headers;
}

const hasBody = (method: HttpMethod): boolean => !["GET", "HEAD", "OPTIONS"].includes(method);

/**
 * A list of pairs becomes an object of texts. In a text, the values of variables are escaped for JSON; it has to be
 * JSON once they are filled in.
 */
function bodyOf(given: unknown, text: RenderText): string | undefined {
  if (Array.isArray(given)) {
    const members = pairsIn(given).map(({ key, value }) => [text(key), text(value)]);
    return JSON.stringify(Object.fromEntries(members));
  }
  const rendered = text(given, "json").trim();
  if (rendered === "") return undefined;
  try {
    JSON.parse(rendered);
    return rendered;
  } catch (error) {
    throw new RequestFault(`body is not JSON after its variables were filled in: ${(error as Error).message}`);
  }
}
