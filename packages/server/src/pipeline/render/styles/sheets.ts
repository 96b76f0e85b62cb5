// The style sheets of an email: where they are, and what is in them. A rule is either inlined, or it depends on more
// than the HTML (a media query, `@supports`, `:hover`) and works in the sheet only.
import { Parser } from "htmlparser2";
import { LRUCache } from "lru-cache";
import postcss from "postcss";
import { readSelector, type Selector } from "../css-selectors.ts";

const maxSelectors = 2_000;

/** `start` and `end`: its text in the HTML. `isForScreens`: its `media` covers every screen. */
export type Sheet = { css: string; start: number; end: number; isForScreens: boolean };

/** A declaration of a sheet, for one of its rule's selectors. `place`: its number in the sheet. */
export type Declared = {
  sheet: number;
  place: number;
  name: string;
  isImportant: boolean;
  weight: number;
  order: number;
};

type Declarations = { normal: [string, string][]; important: [string, string][] };
export type Rule = Selector & { order: number; declared: Declared[] } & Declarations;
/** Works in the sheet only. Without a selector, what it selects is not known. */
export type Condition = Declared & { selector: Selector | null };

/** `order` counts through all sheets. `key` is the same for the same sheets. */
export type Rules = { inlined: Rule[]; conditions: Condition[]; key: string };

/** Whether the `media` of a sheet covers every screen. A sheet for print or for small screens is not inlined. */
const coversScreens = (media = ""): boolean =>
  media
    .toLowerCase()
    .split(",")
    .some((query) => ["", "all", "screen", "only all", "only screen"].includes(query.trim().replace(/\s+/g, " ")));

export function findSheets(html: string): Sheet[] {
  const sheets: Sheet[] = [];
  let open: { start: number; isForScreens: boolean } | null = null;
  const parser = new Parser({
    onopentag: (name, { media }) => {
      if (name === "style") open = { start: parser.endIndex + 1, isForScreens: coversScreens(media) };
    },
    onclosetag: (name, isImplied) => {
      if (name !== "style" || !open) return;
      const end = isImplied ? html.length : parser.startIndex;
      sheets.push({ ...open, end, css: html.slice(open.start, end) });
      open = null;
    },
  });
  parser.end(html);
  return sheets;
}

/** Old mails hide their sheets in comments from programs that would show them. As many spaces keep all places. */
const withoutComments = (css: string): string => css.replaceAll("<!--", "    ").replaceAll("-->", "   ");

const known = new LRUCache<string, Rules>({
  max: 500,
  maxSize: 10_000_000,
  sizeCalculation: (_, key) => key.length + 1,
});

export function readRules(sheets: Sheet[]): Rules {
  const key = sheets.map(({ css, isForScreens }) => `${isForScreens ? "+" : "-"}${css}`).join("\0");
  const cached = known.get(key);
  if (cached) return cached;
  const rules: Rules = { inlined: [], conditions: [], key };
  const count = { selectors: 0 };
  for (const [index, sheet] of sheets.entries()) readSheet(sheet, index, rules, count);
  const found = count.selectors > maxSelectors ? { inlined: [], conditions: [], key } : rules;
  known.set(key, found);
  return found;
}

function readSheet({ css, isForScreens }: Sheet, index: number, rules: Rules, count: { selectors: number }): void {
  const root = parseSheet(css);
  if (!root) return;
  const places = new Map(declarationsOf(root).map((declaration, place) => [declaration, place]));
  root.walkRules((rule) => {
    const surroundings = parentsOf(rule);
    // Keyframes select nothing, and layers and nested rules have their own order.
    if (!surroundings.every((name) => name === "media" || name === "supports")) return;
    const isPlain = isForScreens && surroundings.length === 0;
    for (const text of rule.selectors) {
      const order = ++count.selectors;
      if (count.selectors > maxSelectors) return;
      const selector = isPlain ? readSelector(text) : null;
      const declared = (weight: number) => declaredBy(rule, { sheet: index, weight, order }, places);
      if (selector)
        rules.inlined.push({ ...selector, order, declared: declared(selector.weight), ...readDeclarations(rule) });
      else rules.conditions.push(...readConditions(text, isPlain, declared));
    }
  });
}

const parentsOf = (rule: postcss.Rule): string[] => {
  const names: string[] = [];
  for (let parent = rule.parent; parent && parent.type !== "root"; parent = parent.parent as typeof rule.parent)
    names.push(parent.type === "atrule" ? (parent as postcss.AtRule).name.toLowerCase() : parent.type);
  return names;
};

const states = /:(?:hover|focus|focus-visible|focus-within|active|visited|target|checked)\b/gi;
const classWeight = 100;

/** An element with its state weighs one class more than without. */
function readState(text: string): Selector | null {
  const count = text.match(states)?.length ?? 0;
  const selector = readSelector(text.replace(states, "") || "*");
  return selector && { ...selector, weight: selector.weight + count * classWeight };
}

function readConditions(text: string, isPlain: boolean, declared: (weight: number) => Declared[]): Condition[] {
  // Pseudo-elements have no style attribute that could win against them.
  if (/::|:(?:before|after|first-line|first-letter)\b/i.test(text)) return [];
  const selector = readState(text);
  // Outside of media queries, an unknown selector stays as weak as its author wrote it.
  if (!selector && isPlain) return [];
  return declared(selector?.weight ?? 0).map((one) => ({ ...one, selector }));
}

function declaredBy(
  rule: postcss.Rule,
  strength: Pick<Declared, "sheet" | "weight" | "order">,
  places: Map<postcss.Declaration, number>,
): Declared[] {
  return rule.nodes.flatMap((node) => {
    if (node.type !== "decl" || node.prop.startsWith("--")) return [];
    const { prop, important = false } = node;
    return [{ ...strength, place: places.get(node)!, name: prop.toLowerCase(), isImportant: important }];
  });
}

function parseSheet(css: string): postcss.Root | null {
  try {
    return postcss.parse(withoutComments(css));
  } catch {
    return null;
  }
}

function declarationsOf(root: postcss.Root): postcss.Declaration[] {
  const all: postcss.Declaration[] = [];
  root.walkDecls((declaration) => void all.push(declaration));
  return all;
}

function readDeclarations(rule: postcss.Rule): Declarations {
  const all = rule.nodes.filter((node) => node.type === "decl");
  const pairs = (isImportant: boolean) =>
    all
      .filter(({ important, prop }) => (important ?? false) === isImportant && !prop.startsWith("--"))
      .map(({ prop, value }): [string, string] => [prop, value.replaceAll('"', "'").replace(/\s+/g, " ")]);
  return { normal: pairs(false), important: pairs(true) };
}

const marked = new LRUCache<string, string>({
  max: 500,
  maxSize: 10_000_000,
  sizeCalculation: (css, key) => css.length + key.length + 1,
});

/** The sheet with `!important` at these places. */
export function markSheet(css: string, places: readonly number[]): string {
  if (places.length === 0) return css;
  const key = `${places.join()} ${css}`;
  const cached = marked.get(key);
  if (cached !== undefined) return cached;
  const root = parseSheet(css)!;
  const declarations = declarationsOf(root);
  for (const place of places) declarations[place]!.important = true;
  const text = root.toString();
  marked.set(key, text);
  return text;
}
