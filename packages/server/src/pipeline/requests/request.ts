// The request of an `http_request` step: its templates rendered, with the values of this run. Pure.
import { type HttpMethod, httpMethods } from "@tidings/contract";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { RenderError, render } from "../render/liquid.ts";

export type HttpCall = { method: HttpMethod; url: string; headers: Record<string, string>; body?: string };

type Pair = { key: string; value: string };

const pairsIn = (value: unknown): Pair[] =>
  Array.isArray(value)
    ? value.flatMap((one) =>
        isObject(one) && typeof one.key === "string" && typeof one.value === "string" && one.key !== ""
          ? [{ key: one.key, value: one.value }]
          : [],
      )
    : [];

/** Headers that belong to the connection, and the one that the service sets. */
const ownHeaders = /^(?:host|connection|content-length|transfer-encoding|upgrade|te|trailer|idempotency-key)$/i;

/** `fault`: why there is no request to make. */
export function readRequest(values: JsonObject, scope: object): HttpCall | { fault: string } {
  try {
    const method = httpMethods.find((one) => one === (values.method ?? "POST"));
    if (!method) return { fault: `method must be one of: ${httpMethods.join(", ")}` };
    const text = (template: unknown) => (typeof template === "string" ? render(template, scope, "text") : "");
    const url = text(values.url).trim();
    if (!/^https?:\/\//i.test(url) || URL.parse(url) === null)
      return { fault: `url is not a web address: ${url.slice(0, 200)}` };
    const headers: Record<string, string> = {};
    for (const { key, value } of pairsIn(values.headers)) {
      const name = text(key).trim();
      if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/i.test(name))
        return { fault: `the header ${name.slice(0, 100)} has no valid name` };
      if (ownHeaders.test(name)) return { fault: `the header ${name} is set by the service` };
      headers[name.toLowerCase()] = text(value)
        .replaceAll(/[\r\n]+/g, " ")
        .trim();
    }
    const body = hasBody(method) ? bodyOf(values.body, text) : undefined;
    if (body !== undefined && "fault" in body) return body;
    if (body) headers["content-type"] ??= "application/json";
    return { method, url, headers, ...(body && { body: body.text }) };
  } catch (error) {
    if (!(error instanceof RenderError)) throw error;
    return { fault: [error.message, error.position].filter(Boolean).join(", ") };
  }
}

const hasBody = (method: HttpMethod): boolean => !["GET", "HEAD", "OPTIONS"].includes(method);

/** A list of pairs becomes an object. A text has to be JSON once its templates are rendered. */
function bodyOf(given: unknown, text: (template: unknown) => string): { text: string } | { fault: string } | undefined {
  if (Array.isArray(given)) {
    const members = pairsIn(given).map(({ key, value }) => [text(key), text(value)]);
    return { text: JSON.stringify(Object.fromEntries(members)) };
  }
  const rendered = text(given).trim();
  if (rendered === "") return undefined;
  try {
    JSON.parse(rendered);
    return { text: rendered };
  } catch (error) {
    return { fault: `body is not JSON after its variables were filled in: ${(error as Error).message}` };
  }
}
