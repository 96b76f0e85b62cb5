// Which declarations of a sheet need `!important` once rules are inlined. A style attribute is stronger than any sheet:
// a rule for small screens, dark mode or `:hover` would lose against the rule for all screens that was inlined, which
// it wins against in the sheet. It gets the mark where it has won there. What wins against a marked declaration is
// marked as well: a later rule, a more exact selector, a longhand that completes a shorthand, an element's own style.
//
// Elements of a mail are few kinds: those that the same rules select. Each kind is judged once and remembered, and so
// is the result for a set of kinds.
import { LRUCache } from "lru-cache";
import type { Condition, Declared, Rule, Rules } from "./sheets.ts";

/**
 * Elements that the same rules select. `needed`: conditions that have to be marked; `refused`: those that must not be;
 * `unmarked`: names of inlined declarations that lose their mark, because a marked condition wins against them; `own`:
 * names in the style attribute that win against every condition.
 */
export type Kind = {
  id: number;
  all: readonly Declared[];
  needed: readonly Declared[];
  refused: readonly Declared[];
  unmarked: ReadonlySet<string>;
  own: readonly string[];
};

type Memory = { kinds: LRUCache<string, Kind>; marks: LRUCache<string, Marks>; nextId: number };

/** By the sheets. */
const memories = new LRUCache<string, Memory>({
  max: 100,
  maxSize: 10_000_000,
  sizeCalculation: (_, key) => key.length + 1,
});

function memoryOf(key: string): Memory {
  const known = memories.get(key) ?? {
    kinds: new LRUCache({ max: 200 }),
    marks: new LRUCache({ max: 20 }),
    nextId: 1,
  };
  memories.set(key, known);
  return known;
}

/** Longhands and shorthands set the same thing. */
function areRelated(one: string, other: string): boolean {
  if (one === other || one.startsWith(`${other}-`) || other.startsWith(`${one}-`)) return true;
  const isLine = (name: string) => /^border-(?!radius|collapse|spacing)/.test(name) && !name.endsWith("-radius");
  if (isLine(one) && isLine(other)) return true;
  return [one, other].includes("font") && [one, other].includes("line-height");
}

const isStronger = (one: Declared, other: Declared): boolean =>
  one.weight > other.weight || (one.weight === other.weight && one.order > other.order);

/** The names in a style attribute. */
const ownNames = (style: string): string[] =>
  style
    .split(";")
    .flatMap((text) => (text.includes(":") ? [text.slice(0, text.indexOf(":")).trim().toLowerCase()] : []));

function judge(rules: readonly Rule[], conditions: readonly Condition[], style: string): Omit<Kind, "id"> {
  const inlined = rules.flatMap(({ declared }) => declared);
  const all = [...inlined, ...conditions];
  const marked = all.filter(({ isImportant }) => isImportant);
  const relatedTo = (one: { name: string }, others: readonly Declared[]) =>
    others.filter((other) => other !== one && areRelated(other.name, one.name));
  const isNeeded = (one: Declared): boolean => {
    const against = relatedTo(one, inlined).filter(({ isImportant }) => !isImportant);
    const isCovered = ({ name }: Declared) => name === one.name || one.name.startsWith(`${name}-`);
    return (
      against.some((other) => isStronger(one, other)) &&
      !against.some((other) => isStronger(other, one) && isCovered(other))
    );
  };
  return {
    all,
    needed: conditions.filter((one) => !one.isImportant && isNeeded(one)),
    // Its author has marked a weaker one.
    refused: all.filter((one) => !one.isImportant && relatedTo(one, marked).some((other) => isStronger(one, other))),
    unmarked: new Set(
      inlined
        .filter(
          (one) =>
            one.isImportant && relatedTo(one, conditions).some((other) => other.isImportant && isStronger(other, one)),
        )
        .map(({ name }) => name),
    ),
    own: ownNames(style).filter((name) => relatedTo({ name }, marked).length === 0),
  };
}

/** Pairs of declarations that are compared to find what wins against a marked one; about 10 ms. */
const maxPairs = 200_000;

/** Marked declarations are named by their place: those of one rule for several selectors are marked together. */
const placeOf = ({ sheet, place }: Declared): string => `${sheet}.${place}`;

type Marks = { chosen: ReadonlySet<string>; places: number[][] };

function choose(kinds: readonly Kind[], conditions: readonly Condition[]): Marks {
  const refused = new Set(kinds.flatMap((kind) => kind.refused.map(placeOf)));
  const chosen = new Set(kinds.flatMap((kind) => kind.needed.map(placeOf)).filter((place) => !refused.has(place)));
  // Unknown selectors are marked, unless their author has marked the property somewhere.
  const decided = new Set(conditions.filter(({ isImportant }) => isImportant).map(({ name }) => name));
  for (const one of conditions)
    if (!one.selector && !one.isImportant && !decided.has(one.name)) chosen.add(placeOf(one));
  addStronger(kinds, chosen, refused);
  const places: number[][] = [];
  for (const name of chosen) {
    const [sheet, place] = name.split(".").map(Number) as [number, number];
    places[sheet] = [...(places[sheet] ?? []), place];
  }
  return { chosen, places: Array.from(places, (list = []) => list.sort((a, b) => a - b)) };
}

/** Marks what wins against a marked declaration, until nothing is left or it takes too much work. */
function addStronger(kinds: readonly Kind[], chosen: Set<string>, refused: ReadonlySet<string>): void {
  let pairs = 0;
  for (let size = -1; size !== chosen.size; ) {
    size = chosen.size;
    for (const { all } of kinds) {
      const marked = all.filter((one) => chosen.has(placeOf(one)));
      pairs += all.length * marked.length;
      if (pairs > maxPairs) return;
      for (const one of all) {
        const place = placeOf(one);
        if (one.isImportant || chosen.has(place) || refused.has(place)) continue;
        if (marked.some((other) => areRelated(one.name, other.name) && isStronger(one, other))) chosen.add(place);
      }
    }
  }
}

export type Book = {
  /** Notes an element: the inlined rules and the conditions that select it, and its own style. */
  note(rules: readonly Rule[], conditions: readonly Condition[], style?: string): Kind | null;
  /** What is marked, once all elements are noted. */
  close(): { places: number[][]; ownMarks: (kind: Kind | null) => ReadonlySet<string> };
};

const none: ReadonlySet<string> = new Set();

/** Pairs of declarations that are compared for an element, at most. */
function countPairs(rules: readonly Rule[], conditions: readonly Condition[], style: string): number {
  const inlined = rules.reduce((sum, { declared }) => sum + declared.length, 0);
  const marked = rules.reduce((sum, { important }) => sum + important.length, 0) + conditions.length;
  return (inlined + conditions.length) * (2 * marked + style.length / 10);
}

/** Two pairs take as long as one comparison of an element with a selector. */
const pairCost = 0.5;

/** `work` is charged for every element, whether its kind is known or not. Below 0, nothing is judged any longer. */
export function openBook({ conditions: all, key }: Rules, work: { left: number }): Book {
  // Most sheets of short mails have no media query.
  if (all.length === 0) return { note: () => null, close: () => ({ places: [], ownMarks: () => none }) };
  const memory = memoryOf(key);
  const met = new Map<number, Kind>();
  return {
    note(rules, conditions, style = "") {
      if (rules.length + conditions.length === 0) return null;
      work.left -= pairCost * countPairs(rules, conditions, style);
      if (work.left < 0) return null;
      const name = `${rules.map(({ order }) => order).join()}|${conditions.map(placeOf).join()}|${style}`;
      const kind = memory.kinds.get(name) ?? { id: memory.nextId++, ...judge(rules, conditions, style) };
      memory.kinds.set(name, kind);
      met.set(kind.id, kind);
      return kind;
    },
    close() {
      const name = [...met.keys()].sort((a, b) => a - b).join();
      const marks = memory.marks.get(name) ?? choose([...met.values()], all);
      memory.marks.set(name, marks);
      const { chosen, places } = marks;
      // An own style wins against a marked declaration, as it did before, with a mark itself.
      const ownMarks = (kind: Kind | null): ReadonlySet<string> => {
        if (!kind || kind.own.length === 0) return none;
        const marked = kind.all.filter((one) => chosen.has(placeOf(one)));
        return marked.length === 0
          ? none
          : new Set(kind.own.filter((own) => marked.some(({ name }) => areRelated(name, own))));
      };
      return { places, ownMarks };
    },
  };
}
