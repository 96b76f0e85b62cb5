// Checks that the filters of a template get the right number of arguments. Liquid does not: it would render an empty or
// wrong text.
import { Liquid, type Template, Value } from "liquidjs";
import { LRUCache } from "lru-cache";

/** Minimum and maximum number of arguments; named ones (`allow_false: true`) are not counted. */
const argumentCounts: Record<string, [number, number]> = {
  ...Object.fromEntries(
    ["append", "prepend", "remove", "remove_first", "remove_last", "split", "map", "concat", "push", "unshift"]
      .concat(["plus", "minus", "times", "modulo", "at_least", "at_most", "group_by", "default"])
      .map((name) => [name, [1, 1]]),
  ),
  ...Object.fromEntries(
    ["upcase", "downcase", "capitalize", "strip", "lstrip", "rstrip", "strip_html", "strip_newlines", "newline_to_br"]
      .concat(["escape", "escape_once", "url_encode", "url_decode", "abs", "ceil", "floor", "size", "first", "last"])
      .concat(["reverse", "uniq", "compact", "raw"])
      .map((name) => [name, [0, 0]]),
  ),
  divided_by: [1, 2],
  slice: [1, 2],
  where: [1, 2],
  reject: [1, 2],
  find: [1, 2],
  find_index: [1, 2],
  has: [1, 2],
  replace: [2, 2],
  replace_first: [2, 2],
  replace_last: [2, 2],
  join: [0, 1],
  sort: [0, 1],
  sort_natural: [0, 1],
  sum: [0, 1],
  round: [0, 1],
  truncate: [0, 2],
  truncatewords: [0, 2],
  date: [0, 2],
  pluralize: [2, 3],
  plural: [1, 1],
  toSentence: [0, 3],
};

// Only parses. The engine that renders has parsed the template before, so unknown filters are refused already.
const reader = new Liquid();
const cache = new LRUCache<string, string[]>({ max: 2_000 });

/** One sentence per filter that is given too few or too many arguments. */
export function filterFaults(template: string): string[] {
  if (!template.includes("|")) return [];
  const cached = cache.get(template);
  if (cached) return cached;
  const faults = [...valuesIn(reader.parse(template))].flatMap(({ filters }) =>
    filters.flatMap(
      ({ name, args }) => faultOf(name, args.filter((argument) => !Array.isArray(argument)).length) ?? [],
    ),
  );
  const distinct = [...new Set(faults)];
  cache.set(template, distinct);
  return distinct;
}

function faultOf(name: string, count: number): string | null {
  const [min, max] = Object.hasOwn(argumentCounts, name) ? argumentCounts[name]! : [0, Number.POSITIVE_INFINITY];
  if (count >= min && count <= max) return null;
  const words = (number: number) => (number === 1 ? "1 argument" : `${number === 0 ? "no" : number} arguments`);
  if (count > max) return `filter ${name} takes ${min === max ? "" : "at most "}${words(max)}`;
  return `filter ${name} needs ${min === max ? "" : "at least "}${words(min)}`;
}

function* valuesIn(templates: Template[]): Generator<Value> {
  for (const template of templates) {
    for (const argument of template.arguments?.() ?? []) if (argument instanceof Value) yield argument;
    if (template.children) yield* valuesIn(runToEnd(template.children(false, true)));
  }
}

/** Runs the generator to its end. It is synchronous, because templates include no other files. */
function runToEnd<T>(generator: Generator<unknown, T>): T {
  let step = generator.next();
  while (!step.done) step = generator.next(step.value);
  return step.value;
}
