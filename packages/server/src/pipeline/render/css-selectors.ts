// The selectors of a style sheet that can be inlined, and the elements of an email that they match. A selector that
// depends on more than the HTML (`:hover`, `::before`), or is not known here, is not read: its rule works only in the
// sheet.

/** `position` and `positionOfType` count from 1. */
export type Element = {
  name: string;
  classes: Set<string>;
  attributes: Record<string, string>;
  parent: Element | null;
  siblings: Siblings;
  position: number;
  positionOfType: number;
};
/**
 * The children of one element, itself included, and how many there are of each name. Complete once the HTML is read.
 */
export type Siblings = { elements: Element[]; counts: Map<string, number> };

type Attribute = { name: string; operator: string; value: string };
/** The positions `step * n + offset` for every n from 0. */
type Position = { step: number; offset: number; isFromEnd: boolean; isOfType: boolean };
type Compound = {
  tag: string;
  id: string;
  classes: string[];
  attributes: Attribute[];
  positions: Position[];
  isRoot: boolean;
  excluded: Compound[];
  weight: number;
};
/**
 * `parts` from right to left: the element itself, then those around or before it. `combinator`: how the next part
 * relates.
 */
export type Selector = { parts: { compound: Compound; combinator: string }[]; weight: number };

/** Matching recurs once per part. */
const maxParts = 100;
const classWeight = 100;

type Reader = { text: string; at: number };

/** The next token, by an expression that is sticky. */
function take(reader: Reader, token: RegExp): RegExpExecArray | null {
  token.lastIndex = reader.at;
  const found = token.exec(reader.text);
  if (found) reader.at = token.lastIndex;
  return found;
}

const combinatorToken = /\s*[>+~]\s*|\s+/y;

/** Null when the selector cannot be inlined. */
export function readSelector(text: string): Selector | null {
  const reader = { text: text.trim(), at: 0 };
  const parts: Selector["parts"] = [];
  let weight = 0;
  let combinator = "";
  while (parts.length < maxParts) {
    const compound = readCompound(reader, true);
    if (!compound) return null;
    parts.push({ compound, combinator });
    weight += compound.weight;
    if (reader.at === reader.text.length) return { parts: parts.reverse(), weight };
    const found = take(reader, combinatorToken);
    if (!found) return null;
    combinator = found[0].trim();
  }
  return null;
}

const tagToken = /\*|(?:[\w\u0080-\uffff-]|\\[^\da-f\s])+/iy;
const namedToken = /([#.])((?:[\w\u0080-\uffff-]|\\[^\da-f\s])+)/iy;
const attributeToken = /\[\s*([\w:-]+)\s*(?:([~|^$*]?=)\s*(?:"([^"\\]*)"|'([^'\\]*)'|([\w-]+))\s*)?\]/y;
const pseudoToken = /:([a-z-]+)/iy;
const argumentToken = /\(([^()]*)\)/y;
const notStart = /\(\s*/y;
const notNext = /\s*,\s*/y;
const notEnd = /\s*\)/y;

/** A name such as `w-1\/2` without its backslashes. */
const unescapeName = (name: string): string => name.replace(/\\(.)/g, "$1");

function readCompound(reader: Reader, mayExclude: boolean): Compound | null {
  const lists = { classes: [], attributes: [], positions: [], excluded: [] };
  const compound: Compound = { tag: "*", id: "", isRoot: false, weight: 0, ...lists };
  const start = reader.at;
  const tag = take(reader, tagToken);
  if (tag && tag[0] !== "*") {
    compound.tag = unescapeName(tag[0]).toLowerCase();
    compound.weight = 1;
  }
  for (;;) {
    const named = take(reader, namedToken);
    const attribute = named ? null : take(reader, attributeToken);
    const pseudo = named || attribute ? null : take(reader, pseudoToken);
    if (named) addNamed(compound, named[1]!, unescapeName(named[2]!));
    else if (attribute) addAttribute(compound, attribute);
    else if (!pseudo) break;
    else if (!addPseudo(compound, reader, pseudo[1]!.toLowerCase(), mayExclude)) return null;
  }
  return reader.at > start ? compound : null;
}

function addNamed(compound: Compound, sign: string, name: string): void {
  if (sign === "#" && compound.id === "") compound.id = name;
  else if (sign === "#") compound.attributes.push({ name: "id", operator: "=", value: name });
  else compound.classes.push(name);
  compound.weight += sign === "#" ? classWeight * classWeight : classWeight;
}

function addAttribute(compound: Compound, [, name, operator = "", ...values]: RegExpExecArray): void {
  const value = values.find((one) => one !== undefined) ?? "";
  compound.attributes.push({ name: name!.toLowerCase(), operator, value });
  compound.weight += classWeight;
}

/**
 * Whether the pseudo-class is one that the HTML decides. `:not()` takes lists of compounds that have no `:not()`
 * themselves.
 */
function addPseudo(compound: Compound, reader: Reader, name: string, mayExclude: boolean): boolean {
  if (name === "not") {
    const excluded = mayExclude ? readExcluded(reader) : null;
    if (!excluded) return false;
    compound.excluded.push(...excluded);
    compound.weight += Math.max(...excluded.map(({ weight }) => weight));
    return true;
  }
  const positions = name === "root" ? [] : readPositions(reader, name);
  if (!positions) return false;
  compound.isRoot ||= name === "root";
  compound.positions.push(...positions);
  compound.weight += classWeight;
  return true;
}

function readExcluded(reader: Reader): Compound[] | null {
  if (!take(reader, notStart)) return null;
  const excluded: Compound[] = [];
  do {
    const compound = readCompound(reader, false);
    if (!compound || excluded.length === maxParts) return null;
    excluded.push(compound);
  } while (take(reader, notNext));
  return take(reader, notEnd) ? excluded : null;
}

function readPositions(reader: Reader, name: string): Position[] | null {
  const [, which, kind] = /^(first|last|only|nth|nth-last)-(child|of-type)$/.exec(name) ?? [];
  if (!which) return null;
  const isCounted = which.startsWith("nth");
  const numbers = isCounted ? readFormula(take(reader, argumentToken)?.[1] ?? "") : { step: 0, offset: 1 };
  if (!numbers) return null;
  const ends = which === "only" ? [false, true] : [which.endsWith("last")];
  return ends.map((isFromEnd) => ({ ...numbers, isFromEnd, isOfType: kind === "of-type" }));
}

/** `3`, `odd`, `even`, `2n+1`, `-n + 3`. */
function readFormula(text: string): { step: number; offset: number } | null {
  const formula = text.trim().toLowerCase();
  if (formula === "odd") return { step: 2, offset: 1 };
  if (formula === "even") return { step: 2, offset: 0 };
  if (/^[+-]?\d+$/.test(formula)) return { step: 0, offset: Number(formula) };
  const [found, sign, digits, plus = "+", offset = "0"] = /^([+-]?)(\d*)n(?:\s*([+-])\s*(\d+))?$/.exec(formula) ?? [];
  if (found === undefined) return null;
  return { step: Number(`${sign}${digits || "1"}`), offset: Number(`${plus}${offset}`) };
}

/** Takes what it costs off `work.left`; the response does not count when that is below 0. */
export function matches({ parts }: Selector, element: Element, work: { left: number }): boolean {
  const from = (index: number, candidate: Element): boolean => {
    const { compound, combinator } = parts[index]!;
    if (!matchesCompound(compound, candidate, work) || work.left < 0) return false;
    if (index + 1 === parts.length) return true;
    const next = combinator === "+" || combinator === "~" ? elementBefore : elementAround;
    const isNearest = combinator === "+" || combinator === ">";
    for (let other = next(candidate); other && work.left >= 0; other = isNearest ? null : next(other)) {
      if (from(index + 1, other)) return true;
    }
    return false;
  };
  return from(0, element);
}

const elementAround = ({ parent }: Element): Element | null => parent;
const elementBefore = ({ siblings, position }: Element): Element | null => siblings.elements[position - 2] ?? null;

function matchesCompound(compound: Compound, element: Element, work: { left: number }): boolean {
  const { tag, id, classes, attributes, positions, isRoot, excluded } = compound;
  work.left -= 1 + ((classes.length + positions.length + attributes.length) >> 2);
  return (
    (tag === "*" || tag === element.name) &&
    (id === "" || element.attributes.id === id) &&
    classes.every((name) => element.classes.has(name)) &&
    positions.every((position) => isAt(position, element)) &&
    (!isRoot || (element.name === "html" && element.parent === null)) &&
    attributes.every((attribute) => matchesAttribute(attribute, element, work)) &&
    !excluded.some((one) => matchesCompound(one, element, work))
  );
}

function isAt({ step, offset, isFromEnd, isOfType }: Position, element: Element): boolean {
  const { elements, counts } = element.siblings;
  const position = isOfType ? element.positionOfType : element.position;
  const count = isOfType ? counts.get(element.name)! : elements.length;
  const beyond = (isFromEnd ? count - position + 1 : position) - offset;
  return step === 0 ? beyond === 0 : beyond % step === 0 && beyond / step >= 0;
}

const comparisons: Record<string, (given: string, value: string) => boolean> = {
  "": () => true,
  "=": (given, value) => given === value,
  "^=": (given, value) => value !== "" && given.startsWith(value),
  "$=": (given, value) => value !== "" && given.endsWith(value),
  "*=": (given, value) => value !== "" && given.includes(value),
  "~=": (given, value) => value !== "" && given.split(/\s+/).includes(value),
  "|=": (given, value) => given === value || given.startsWith(`${value}-`),
};

function matchesAttribute({ name, operator, value }: Attribute, element: Element, work: { left: number }): boolean {
  if (!Object.hasOwn(element.attributes, name)) return false;
  const given = element.attributes[name]!;
  const isSearch = operator === "*=" || operator === "~=";
  work.left -= (isSearch ? given.length * (8 + value.length) : value.length) / 64;
  return work.left >= 0 && comparisons[operator]!(given, value);
}
