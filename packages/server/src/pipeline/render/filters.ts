// Filters beyond standard Liquid. The `block_*` filters are used by compiled block documents, to check addresses and
// styles that are known only when the template is rendered.
import type { Context } from "liquidjs";
import { createBoundedCache } from "../../lib/bounded-cache.ts";
import { isTruthy } from "../../lib/condition-operators.ts";
import { evaluate } from "../../lib/conditions.ts";
import { type JsonObject, valueAt } from "../../lib/json.ts";
import type { Language } from "../../lib/words/languages.ts";
import { listText } from "../../lib/words/message-words.ts";
import { clockOf } from "./dates.ts";
import { isSafeImage, isSafeMailLink, isUsualLink } from "./safe-urls.ts";
import { countOf, Texts } from "./translate.ts";

/** `this` of a filter. */
type FilterImpl = { context: Context };

/**
 * `count | pluralize: 'item', 'items'`: the count with the fitting word, or with a third argument `'false'` the word
 * alone. A word may be a translation key: `'t.item.one'`.
 */
function pluralize(this: FilterImpl, count: unknown, one: unknown = "", many = one, showsCount?: unknown): string {
  const number = countOf(count);
  const word = wordOf(this, number === 1 ? one : many);
  return String(showsCount).toLowerCase() === "false" ? word : `${number} ${word}`.trimEnd();
}

/** Without translations there is no `t`, and a word that looks like a key stays a word. */
function wordOf({ context }: FilterImpl, word: unknown): string {
  const isKey = typeof word === "string" && /^t(\.[\w-]+)+$/.test(word) && context.getSync(["t"]) instanceof Texts;
  const text = isKey ? context.getSync(word.split(".")) : word;
  return String((text instanceof Texts ? text.valueOf() : text) ?? "");
}

/** `events | toSentence: 'payload.name', 2, 'other'`: "Ada, Bob and 3 others". A word of the template is English. */
function toSentence(this: FilterImpl, list: unknown, path = "", max: unknown = 2, word?: string): string {
  return sentenceOf(list, { path, max, word, language: clockOf(this).language });
}

type Sentence = { path: string; max?: unknown; word?: string; language?: Language };

export function sentenceOf(list: unknown, { path, max = 2, word, language }: Sentence): string {
  const items = Array.isArray(list) ? list : [];
  const texts = items.map((item) => String((path === "" ? item : valueAt(item, String(path))) ?? "")).filter(Boolean);
  const limit = Math.max(1, Math.trunc(Number(max)) || 1);
  const rest = texts.length - limit;
  const shown = texts.slice(0, limit);
  if (word === undefined || rest <= 0) return listText(language ?? "en", shown, rest);
  return `${shown.join(", ")} and ${rest} ${rest === 1 || String(word).endsWith("s") ? word : `${word}s`}`;
}

/** `t.items | plural: payload.count`: the plural form of the translation for this number. */
const plural = (text: unknown, count: unknown): unknown => (text instanceof Texts ? Texts.plural(text, count) : text);

/** The value is already escaped for HTML, except after `raw`: quotes must not end the attribute. */
const attribute = (name: string, url: string): string =>
  ` ${name}="${url.replaceAll('"', "&quot;").replaceAll("<", "&lt;")}"`;

function blockLink(value: unknown): string {
  const url = String(value ?? "").trim();
  return isSafeMailLink(url) ? attribute("href", url) : "";
}

/** A link that every environment keeps; null for one that the environment decides on, when the template is rendered. */
export function constantLink(value: string): string | null {
  const url = value.trim();
  if (isUsualLink(url)) return attribute("href", url);
  return /^[a-z][a-z\d+.-]*:/i.test(url) ? null : "";
}

export function blockImage(value: unknown): string {
  const url = String(value ?? "").trim();
  return isSafeImage(url) ? attribute("src", url) : "";
}

/** Colours, lengths and keywords; values that could end the declaration or load a resource are dropped. */
export function blockStyle(value: unknown, otherwise = ""): string {
  const text = String(value ?? "").trim();
  return /^[#\w\s(),.%+-]{1,100}$/.test(text) && !/(url|expression)\s*\(/i.test(text) ? text : otherwise;
}

const averageCharacter = 8;

/**
 * The width of a button in pixels, from its label and the room around it: shapes of Outlook do not grow with their
 * text. Steps of ten, so that few tags differ.
 */
export function blockWidth(label: unknown, room: unknown = 0): number {
  const text = String(label ?? "")
    .replace(/<[^<>]*>/g, "")
    .replace(/&[a-z\d#]+;/gi, "x");
  return Math.min(560, Math.ceil((text.trim().length * averageCharacter + (Number(room) || 0)) / 10) * 10);
}

/** By their text: the conditions of blocks, decoded once. */
const conditions = createBoundedCache<{ rule: unknown }>(1_000);

/** Whether the condition of a block holds; `encoded` is JSON Logic in base64, which needs no escapes in a tag. */
function blockCondition(this: FilterImpl, encoded: unknown): boolean {
  const key = String(encoded);
  const known = conditions.get(key) ?? { rule: JSON.parse(Buffer.from(key, "base64").toString()) };
  conditions.set(key, known);
  return isTruthy(evaluate(known.rule, this.context.getAll() as JsonObject));
}

/** Whether a block with `showIfKey` is shown: empty, "0" and "false" count as no. */
function blockShown(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return !(value === undefined || value === null || ["", "0", "false"].includes(String(value).trim().toLowerCase()));
}

export const filters = {
  pluralize,
  toSentence,
  plural,
  block_link: blockLink,
  block_image: blockImage,
  block_style: blockStyle,
  block_shown: blockShown,
  block_condition: blockCondition,
  block_width: blockWidth,
};
