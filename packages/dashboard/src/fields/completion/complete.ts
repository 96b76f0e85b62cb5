// What can be inserted at the caret of a template or of a path, and the text after it. Pure.
import { filters } from "./filters.ts";
import { type Names, samplesIn, valueIn } from "./names.ts";

export type Option = {
  label: string;
  /** A sample value, or an example of a filter. */
  note: string;
  insert: string;
};

/** `from` and `to`: what an option replaces; `end`: what comes after it. */
export type Completion = { from: number; to: number; end: string; options: Option[] };

const maxOptions = 50;

/** Inside `{{ … }}` and `{% … %}`: names, and after a bar filters. Elsewhere nothing. */
export function completeTemplate(text: string, caret: number, names: Names): Completion | null {
  const tag = openTag(text, caret);
  if (!tag) return null;
  const inside = text.slice(tag.from, caret);
  const end = tag.isOutput && !hasEnd(text.slice(caret)) ? (inside.startsWith(" ") ? " }}" : "}}") : "";
  const [, filter] = /\|\s*(\w*)$/.exec(inside) ?? [];
  if (filter !== undefined) {
    const found = matching(filters, filter, ({ name }) => name);
    const options = found.map(({ name, use, example }) => ({ label: name, note: example, insert: use }));
    return completion({ text, caret }, filter, options, end);
  }
  const [word = ""] = /(?<![\w.-])[\w.-]*$/.exec(inside) ?? [];
  // A filter's arguments, and the words of a tag, are typed: names are offered when one begins.
  if (word === "" && /\S/.test(inside) && !/(?:\bin|\bif|[:,(=<>]|\band|\bor)\s*$/.test(inside)) return null;
  const known = [...loopNames(text.slice(0, tag.from), names), ...namesOf(names)];
  return completion(
    { text, caret },
    word,
    matching(known, word, ({ label }) => label),
    end,
  );
}

/** A field that is a path, without braces. */
export function completePath(text: string, caret: number, names: Names): Completion | null {
  const [word = ""] = /(?<![\w.-])[\w.-]*$/.exec(text.slice(0, caret)) ?? [];
  const known = namesOf(names).filter(({ label }) => label.startsWith("payload."));
  return completion(
    { text, caret },
    word,
    matching(known, word, ({ label }) => label),
  );
}

/** The text with the option, and where the caret is then. */
export function applyOption(text: string, { from, to, end }: Completion, { insert }: Option) {
  const inserted = insert + end;
  return { text: text.slice(0, from) + inserted + text.slice(to), caret: from + inserted.length };
}

/** A name as it is inserted at the caret: inside of a tag alone, elsewhere in braces. */
export function insertName(text: string, { from, to }: { from: number; to: number }, name: string, isPath: boolean) {
  const inserted = isPath || openTag(text, from) ? name : `{{${name}}}`;
  return { text: text.slice(0, from) + inserted + text.slice(to), caret: from + inserted.length };
}

const namesOf = ({ variables, samples }: Names): Option[] =>
  variables.map((label) => ({ label, note: samples[label] ?? "", insert: label }));

type Place = { text: string; caret: number };

function completion({ text, caret }: Place, word: string, options: Option[], end = ""): Completion | null {
  const [rest = ""] = /^[\w.-]*/.exec(text.slice(caret)) ?? [];
  const isDone = options.length === 1 && options[0]!.label === word + rest && end === "";
  return options.length === 0 || isDone
    ? null
    : { from: caret - word.length, to: caret + rest.length, end, options: options.slice(0, maxOptions) };
}

/** Those that begin with the word, then those that have a part that does, then those that contain it. */
function matching<T>(all: readonly T[], word: string, labelOf: (one: T) => string): T[] {
  const typed = word.toLowerCase();
  const rank = (label: string): number => {
    if (label.startsWith(typed)) return 0;
    return label.includes(`.${typed}`) ? 1 : label.includes(typed) ? 2 : 3;
  };
  const ranked = all.map((one) => ({ one, rank: rank(labelOf(one).toLowerCase()) }));
  return [0, 1, 2].flatMap((wanted) => ranked.filter(({ rank }) => rank === wanted).map(({ one }) => one));
}

/** The tag that the caret is in: where its content begins. Nothing is offered inside of quotes. */
function openTag(text: string, caret: number): { from: number; isOutput: boolean } | null {
  const before = text.slice(0, caret);
  const at = Math.max(before.lastIndexOf("{{"), before.lastIndexOf("{%"));
  if (at < 0) return null;
  const inside = before.slice(at + 2);
  const isQuoted = ['"', "'"].some((quote) => inside.split(quote).length % 2 === 0);
  if (inside.includes("}}") || inside.includes("%}") || isQuoted) return null;
  return { from: at + 2, isOutput: before[at + 1] === "{" };
}

/** Whether the tag is closed before another one begins. */
const hasEnd = (after: string): boolean => /^[^{}]*\}\}/.test(after);

/** The variables of the loops around the caret, with the members of a sample element. */
function loopNames(before: string, { scope, variables }: Names): Option[] {
  const loops: { name: string; path: string }[] = [];
  for (const [, , name, path] of before.matchAll(/\{%-?\s*(endfor|for\s+(\w+)\s+in\s+([\w.-]+))/g)) {
    if (name === undefined || path === undefined) loops.pop();
    else loops.push({ name, path });
  }
  const found = loops.toReversed().flatMap(({ name, path }) => {
    const list = valueIn(scope, path);
    const members = Array.isArray(list) ? [...samplesIn(list[0], name)] : [[name, ""] as const];
    // Events of a digest have payloads, of which the schema may know more than the sample.
    const payload = members.some(([label]) => label.startsWith(`${name}.payload`))
      ? variables.filter((one) => one.startsWith("payload.")).map((one) => [`${name}.${one}`, ""] as const)
      : [];
    return [...members, ...payload];
  });
  const own =
    loops.length > 0 ? ["forloop.index", "forloop.first", "forloop.last"].map((one) => [one, ""] as const) : [];
  const all = new Map([...own, ...found.toReversed()]);
  return [...all].toReversed().map(([label, note]) => ({ label, note, insert: label }));
}
