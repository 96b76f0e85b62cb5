// JSON text with variables. The text is read as JSON first, and the variables are filled in afterwards, so that no
// value can change its structure: a quote inside a value stays part of the value. A variable outside of quotes keeps
// its type. Pure.
import { isObject, type JsonObject } from "../../lib/json.ts";
import { RenderError, render } from "./liquid.ts";

/** JSON with a mark in each place that has a variable or a tag. */
type Skeleton = { json: string; parts: string[]; hasLooseTags: boolean };

/** Characters for private use, around the number of a part. */
const marks = { quoted: "\uf8f0", typed: "\uf8f1", end: "\uf8f2" };
const anyMark = /[\uf8f0-\uf8f2]/g;
const quotedParts = /\uf8f0(\d+)\uf8f2/g;
const typedPart = /^\uf8f1(\d+)\uf8f2$/;

/** `hasLooseTags`: a tag such as `{% if %}` is outside of quotes, where it decides about members. */
function skeletonOf(template: string): Skeleton {
  const text = template.replace(anyMark, "");
  const parts: string[] = [];
  let [json, isQuoted, hasLooseTags] = ["", false, false];
  for (let at = 0; at < text.length; ) {
    const sign = text.startsWith("{{", at) ? "}}" : text.startsWith("{%", at) ? "%}" : null;
    const end = sign === null ? -1 : text.indexOf(sign, at + 2);
    if (end !== -1) {
      const number = parts.push(text.slice(at, end + 2)) - 1;
      if (!isQuoted && sign === "%}") hasLooseTags = true;
      json += isQuoted ? `${marks.quoted}${number}${marks.end}` : `"${marks.typed}${number}${marks.end}"`;
      at = end + 2;
      continue;
    }
    const length = isQuoted && text[at] === "\\" ? 2 : 1;
    if (text[at] === '"') isQuoted = !isQuoted;
    json += text.slice(at, at + length);
    at += length;
  }
  return { json, parts, hasLooseTags };
}

const reasonOf = (error: unknown): string => (error as Error).message.replace(anyMark, "");

/** Why the text cannot become JSON, whatever the values of its variables; null when it can. */
export function jsonTemplateFault(template: string, kind: "any" | "object"): string | null {
  const { json, hasLooseTags } = skeletonOf(template);
  if (hasLooseTags) return null;
  try {
    const value = JSON.parse(json);
    const isVariable = typeof value === "string" && typedPart.test(value);
    return kind === "any" || isObject(value) || isVariable ? null : "must be a JSON object";
  } catch (error) {
    return `is not JSON: ${reasonOf(error)}`;
  }
}

/** Throws RenderError where a variable cannot be rendered, or the text is not JSON. */
export function renderJson(template: string, scope: object): unknown {
  const { json, parts, hasLooseTags } = skeletonOf(template);
  try {
    return hasLooseTags ? JSON.parse(render(template, scope, "json")) : filledIn(JSON.parse(json), parts, scope);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new RenderError(`it is not JSON: ${hasLooseTags ? placeIn(error) : reasonOf(error)}`);
  }
}

/** The message quotes a part of the text, and once variables are filled in that may be a part of a secret. */
function placeIn({ message }: SyntaxError): string {
  const place = /\bposition \d{1,9}\b/.exec(message.slice(-60))?.[0];
  return `${place ? `see ${place}; ` : ""}write values in quotes or with the filter json`;
}

function filledIn(value: unknown, parts: string[], scope: object): unknown {
  if (typeof value === "string") {
    const typed = typedPart.exec(value)?.[1];
    return typed === undefined ? rendered(value, parts, scope) : typedValue(parts[Number(typed)]!, scope);
  }
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => filledIn(item, parts, scope));
  const members = Object.entries(value as JsonObject).map(([name, member]) => [
    rendered(name, parts, scope),
    filledIn(member, parts, scope),
  ]);
  return Object.fromEntries(members);
}

/** A text of the JSON as the template that it is. */
const rendered = (text: string, parts: string[], scope: object): string =>
  render(
    text.replace(quotedParts, (_, number) => parts[Number(number)]!),
    scope,
    "text",
  );

/** The value of a variable outside of quotes; null for one that does not exist. */
function typedValue(part: string, scope: object): unknown {
  const expression = part.slice(2, -2).replace(/^-|-$/g, "").trim();
  const hasFilter = /\|\s*json(?:ify)?\s*(?::[^|]*)?$/.test(expression);
  const text = render(hasFilter ? part : `{{ ${expression} | json }}`, scope, "text");
  return text === "" ? null : JSON.parse(text);
}
