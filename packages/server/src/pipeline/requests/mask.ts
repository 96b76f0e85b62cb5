// What is shown and stored of a request and its response: never a credential, and never the value of a secret variable.
import { isObject } from "../../lib/json.ts";
import { mask } from "../../lib/secrets.ts";
import { storableText } from "../../lib/text/storable-text.ts";

/** Headers and query members with such a name hold credentials. */
const secretName = /auth|cookie|token|key|secret|passw|signature|credential|session/i;

/** Those that the service sets. */
const shownNames: ReadonlySet<string> = new Set(["idempotency-key"]);

const isSecretName = (name: string): boolean => secretName.test(name) && !shownNames.has(name.toLowerCase());

/** The text without these values, even if they are escaped for JSON or for a URL. */
export function maskSecrets(text: string, secretValues: readonly string[]): string {
  let shown = text;
  for (const value of secretValues) {
    if (value !== "") for (const form of formsOf(value)) shown = shown.replaceAll(form, mask);
  }
  return shown;
}

/** As a template may have written it: unchanged, in a JSON string, in a path, in a query. */
const formsOf = (value: string): Set<string> =>
  new Set([
    value,
    JSON.stringify(value).slice(1, -1),
    encodeURI(value.toWellFormed()),
    encodeURIComponent(value.toWellFormed()),
    new URLSearchParams({ "": value }).toString().slice(1),
  ]);

/** The same for every text and every name inside a JSON value, and for numbers. */
export function maskSecretsIn(value: unknown, secretValues: readonly string[]): unknown {
  if (secretValues.length === 0) return value;
  if (typeof value === "string") return maskSecrets(value, secretValues);
  if (typeof value === "number") return secretValues.includes(String(value)) ? mask : value;
  if (Array.isArray(value)) return value.map((item) => maskSecretsIn(item, secretValues));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      maskSecrets(name, secretValues),
      maskSecretsIn(member, secretValues),
    ]),
  );
}

const maxHeaders = 50;
const maxShownLength = 200;

export const shownHeaders = (
  headers: Readonly<Record<string, string>>,
  secretValues: readonly string[],
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers)
      .slice(0, maxHeaders)
      .map(([name, value]) => [
        storableText(name, maxShownLength),
        isSecretName(name) ? mask : storableText(maskSecrets(value, secretValues), maxShownLength),
      ]),
  );

/** An address without user and password; members of its query with the name of a credential are masked. */
export function shownUrl(address: string, secretValues: readonly string[]): string {
  // Before it is parsed, which changes how a secret is written.
  const url = URL.parse(maskSecrets(address, secretValues));
  if (!url) return mask;
  for (const name of new Set(url.searchParams.keys())) if (isSecretName(name)) url.searchParams.set(name, mask);
  const shown = `${url.origin}${url.pathname}${decodedMask(url.search)}`;
  return storableText(maskSecrets(shown, secretValues), maxShownLength);
}

const decodedMask = (query: string): string => query.replaceAll(encodeURIComponent(mask), mask);

const pieces = /\{\{[^{}'"]*\}\}|\{%[^{}'"]*%\}/g;
/** Nothing but variables, without a literal inside: its value is known only when an event arrives. */
const isVariable = (text: string): boolean => text.replaceAll(pieces, "").replaceAll(/[:\s]/g, "") === "";
const maskLiteral = (text: string): string => (isVariable(text) ? text : mask);

/**
 * The address of a step as its author wrote it. User, password, and the values of its query and fragment are masked
 * under any name, except for variables.
 */
export function maskUrlTemplate(url: string): string {
  const scheme = /^[^/\\?#]*[/\\]{2,}/.exec(url)?.[0] ?? "";
  const afterScheme = url.slice(scheme.length);
  const authority = /^[^/\\?#]*/.exec(afterScheme)![0];
  const userEnd = authority.lastIndexOf("@");
  const user = userEnd < 0 ? "" : `${maskLiteral(authority.slice(0, userEnd))}@`;
  const rest = afterScheme.slice(userEnd + 1);
  const end = rest.search(/[?#]/);
  if (end < 0) return scheme + user + rest;
  const query = rest.slice(end).replaceAll(/([?&#])([^=?&#]*=)?([^&#]*)/g, (_, mark, name = "", value) => {
    return mark + name + maskLiteral(value);
  });
  return scheme + user + rest.slice(0, end) + query;
}

const jsonText = /("((?:[^"\\]|\\.)*)"\s*:\s*)"((?:[^"\\]|\\.)*)"/g;

/** The body of a step as its author wrote it; values at names of credentials are masked, except for variables. */
export function maskBodyTemplate(body: unknown): unknown {
  if (typeof body === "string")
    return body.replaceAll(jsonText, (whole, start: string, name: string, value: string) =>
      isSecretName(name) && !isVariable(value) ? `${start}"${mask}"` : whole,
    );
  if (!Array.isArray(body)) return body;
  return body.map((one) =>
    isObject(one) && typeof one.key === "string" && typeof one.value === "string" && isSecretName(one.key)
      ? { ...one, value: maskLiteral(one.value) }
      : one,
  );
}
