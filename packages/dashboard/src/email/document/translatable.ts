// Takes the texts out of an email, so that each language can have its own: where a text was, the document names its
// key. Pure.
import { isSame } from "../../kit/is-same.ts";
import { isMembers, isTyped, type Json, type JsonMembers, textOf } from "./json.ts";

/** What the step has as values: lines, and a body of blocks. */
type EmailValues = Readonly<Record<string, unknown>>;

/** `texts`: those that were taken out, by key. */
export type Extracted = { values: Record<string, unknown>; texts: Record<string, string> };

const lines = ["subject", "preheader"];
/** Attributes that readers see, by type of block. */
const spoken: Readonly<Record<string, readonly string[]>> = {
  button: ["text"],
  image: ["alt"],
  logo: ["alt"],
  linkCard: ["title", "description", "linkTitle", "badgeText"],
};

/** `taken`: the texts that the workflow has already. */
export function extractTexts(values: EmailValues, taken: Readonly<Record<string, string>>): Extracted {
  const texts: Record<string, string> = {};
  const keep = (text: string, name = slugOf(text)): string => {
    const known = { ...taken, ...texts };
    let [key, count] = [name, 1];
    while (known[key] !== undefined && known[key] !== text) key = `${name}_${++count}`;
    texts[key] = text;
    return key;
  };
  const changed: Record<string, unknown> = { ...values };
  for (const name of lines) {
    const text = textOf(values[name]);
    if (isForReaders(text, false)) changed[name] = `{{ t.${keep(text, name)} }}`;
  }
  const doc = parsed(textOf(values.body));
  if (doc) {
    const next = extractIn(doc, { keep, isRepeated: false });
    if (!isSame(next, doc)) changed.body = JSON.stringify(next);
  }
  return { values: changed, texts };
}

function parsed(body: string): JsonMembers | null {
  try {
    const json = JSON.parse(body);
    return isTyped(json) && json.type === "doc" ? json : null;
  } catch {
    return null;
  }
}

/** Words; not a text that is translated already, and no Liquid that belongs to the place where it is. */
function isForReaders(text: string, isRepeated: boolean): boolean {
  if (text.includes("{%") || /\{\{-?\s*t[.[]/.test(text) || (isRepeated && text.includes("{{"))) return false;
  return /\p{L}/u.test(text.replaceAll(/\{\{[^{}]*\}\}/g, ""));
}

type Place = {
  keep: (text: string) => string;
  /** A text does not see the item of a repeat around it. */
  isRepeated: boolean;
};

function extractIn(json: Json, place: Place): Json {
  if (!isTyped(json) || ["codeBlock", "htmlCodeBlock"].includes(json.type)) return json;
  const isRepeated = place.isRepeated || json.type === "repeat" || json.type === "for";
  const inside = { ...place, isRepeated };
  const content = Array.isArray(json.content) ? json.content : null;
  const isText = content?.some((one) => isTyped(one) && (one.type === "text" || one.type === "variable"));
  const names = spoken[json.type] ?? [];
  const attrs = isMembers(json.attrs) && names.length > 0 ? attrsOf(json.attrs, names, place) : json.attrs;
  return {
    ...json,
    ...(attrs !== undefined && { attrs }),
    // A button with its label as content is older than this editor, and is not changed.
    ...(content &&
      json.type !== "button" && {
        content: isText ? inlineOf(content, inside) : content.map((one) => extractIn(one, inside)),
      }),
  };
}

function attrsOf(attrs: JsonMembers, names: readonly string[], { keep, isRepeated }: Place): JsonMembers {
  const changed = names.flatMap((name) => {
    const text = textOf(attrs[name]);
    return isForReaders(text, isRepeated) ? [[name, `{{ t.${keep(text)} }}`] as const] : [];
  });
  return { ...attrs, ...Object.fromEntries(changed) };
}

/** Texts and variables with the same marks, one after the other, are one text. */
function inlineOf(content: readonly Json[], place: Place): Json[] {
  const runs: Json[][] = [];
  for (const node of content) {
    const last = runs.at(-1);
    if (last && isPart(node, place) && isPart(last[0], place) && isSame(marksOf(node), marksOf(last[0])))
      last.push(node);
    else runs.push([node]);
  }
  return runs.flatMap((run) => (run.every((one) => isPart(one, place)) ? textRun(run, place) : run));
}

const isPart = (node: Json, { isRepeated }: Place): boolean =>
  isTyped(node) && (node.type === "text" || (node.type === "variable" && !isRepeated));

const marksOf = (node: Json): Json => (isMembers(node) ? (node.marks ?? []) : []);

function textRun(run: Json[], { keep, isRepeated }: Place): Json[] {
  const whole = run.map(templateOf).join("");
  if (!isForReaders(whole, isRepeated)) return run;
  const text = whole.trim();
  const before = whole.slice(0, whole.indexOf(text));
  const after = whole.slice(before.length + text.length);
  const marks = marksOf(run[0]) as Json[];
  const dressed = (node: JsonMembers): JsonMembers => (marks.length > 0 ? { ...node, marks } : node);
  const space = (blank: string): Json[] => (blank === "" ? [] : [dressed({ type: "text", text: blank })]);
  return [...space(before), dressed({ type: "variable", attrs: { id: `t.${keep(text)}` } }), ...space(after)];
}

/** As the renderer writes it. */
function templateOf(node: Json): string {
  if (!isTyped(node)) return "";
  if (node.type === "text") return textOf(node.text);
  const { id, fallback } = isMembers(node.attrs) ? node.attrs : {};
  const name = textOf(id)
    .replaceAll(/^\{\{-?|-?\}\}$/g, "")
    .trim();
  const other = textOf(fallback).replaceAll(/[\\"]/g, "\\$&");
  return other === "" ? `{{ ${name} }}` : `{{ ${name} | default: "${other}" }}`;
}

const maxWords = 4;

/** A key that says which text it is. */
function slugOf(text: string): string {
  const plain = text
    .replaceAll(/\{\{[^{}]*\}\}/g, " ")
    .normalize("NFKD")
    .toLowerCase();
  const found = plain.match(/[a-z0-9]+/g)?.slice(0, maxWords) ?? [];
  const slug = found.join("_").slice(0, 40);
  return /^[a-z]/.test(slug) ? slug : `text${slug === "" ? "" : `_${slug}`}`;
}

/** A text of a translation as the editor shows it: variables by their sample values. */
export const shownText = (text: string, sampleOf: (name: string) => unknown): string =>
  text.replaceAll(/\{\{([^{}]*)\}\}/g, (_found, inside: string) => {
    const name = /^[\w.]+/.exec(inside.replace(/^-/, "").trim())?.[0] ?? inside.trim();
    const value = sampleOf(name);
    return value === undefined || value === null || typeof value === "object" ? `[${name}]` : String(value);
  });
