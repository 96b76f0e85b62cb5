// Which variables of a template wrote nothing. While outputs are watched, which only previews do, every output tag of a
// template gets a filter that notes its value: `{{ payload.name }}` becomes `{{ payload.name | block_watched: 0 }}`.
// Templates of runs are rendered as they were written.
import { Texts } from "../translate.ts";

/** Names of variables whose outputs were all empty, and keys of translations without a text. */
export type EmptyOutputs = { variables: string[]; translations: string[] };

type Watch = { names: string[]; seen: Map<string, { isFilled: boolean; isKey: boolean }> };

/** A variable of this module, as the budget of work is (lib/work.ts): templates are rendered through several layers. */
let watch: Watch | null = null;

/** Runs `work`, which is synchronous, and notes what its outputs wrote. */
export function watchOutputs<T>(work: () => T): { result: T; empty: EmptyOutputs } {
  const outer = watch;
  const own: Watch = { names: [], seen: new Map() };
  watch = own;
  try {
    const result = work();
    const empty = [...own.seen].filter(([, { isFilled }]) => !isFilled);
    const namesOf = (isKey: boolean) => empty.filter(([, one]) => one.isKey === isKey).map(([name]) => name);
    return { result, empty: { variables: namesOf(false), translations: namesOf(true) } };
  } finally {
    watch = outer;
  }
}

/** The first part of an output: dash, a variable with members, and the filters or the end. */
const output = /\{\{(-?)\s*([a-z_][\w-]*(?:\.[\w-]+|\[\d{1,6}\])+)\s*(\||-?\}\})/gi;
/** What is between these tags is text. */
const literal = /\{%-?\s*(raw|comment)\s*-?%\}[\s\S]*?\{%-?\s*end\1\s*-?%\}/g;

/** The template with noting filters, while outputs are watched. */
export function watchedTemplate(template: string): string {
  const current = watch;
  if (!current) return template;
  const parts: string[] = [];
  let from = 0;
  for (const found of template.matchAll(literal)) {
    parts.push(noteOutputs(template.slice(from, found.index), current), found[0]);
    from = found.index + found[0].length;
  }
  return parts.join("") + noteOutputs(template.slice(from), current);
}

function noteOutputs(template: string, { names }: Watch): string {
  return template.replace(output, (whole, dash: string, name: string, end: string, at: number) => {
    const close = template.indexOf("}}", at);
    const filters = end === "|" && close > 0 ? template.slice(at + whole.length, close) : "";
    // The author has said what is shown instead, or names the forms of a text.
    if (/^\s*(?:plural|default)\b|\|\s*default\b/.test(filters)) return whole;
    return `{{${dash} ${name} | block_watched: ${names.push(name) - 1} ${end}`;
  });
}

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || (Array.isArray(value) ? value.length === 0 : value === "");

/** The filter: returns the value unchanged. */
export function watched(value: unknown, index: unknown): unknown {
  const name = watch?.names[Number(index)];
  if (watch === null || name === undefined) return value;
  const isKey = name.startsWith("t.");
  const isFilled = !isEmpty(value) && !(isKey && value instanceof Texts);
  const before = watch.seen.get(name);
  watch.seen.set(name, { isFilled: isFilled || (before?.isFilled ?? false), isKey });
  return value;
}
