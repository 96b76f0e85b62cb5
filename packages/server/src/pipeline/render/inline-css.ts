// Copies the rules of an email's style sheets into the style attributes of the elements they select, because many mail
// programs drop `<style>`. The sheet itself stays, for media queries and selectors that are not inlined, such as
// `:hover`.
//
// The HTML is read into a light tree first, as `:last-child` depends on what follows. Everything else in it stays byte
// for byte, except that declarations of media queries are marked where they have to win (styles/conditions.ts). A sheet
// that is not valid, or would take too much work or space, is not inlined: an email that looks plainer in some programs
// is better than none.
import { Parser } from "htmlparser2";
import { outputLimit } from "./bounded-liquid.ts";
import { type Element, matches, type Selector, type Siblings } from "./css-selectors.ts";
import { chargeHtml } from "./html-size.ts";
import { type Kind, openBook } from "./styles/conditions.ts";
import { findSheets, markSheet, type Rule, type Rules, readRules, type Sheet } from "./styles/sheets.ts";

const maxSheetLength = 100_000;
/** Comparisons of one element with one part of a selector; about 20 ms. */
const maxWork = 400_000;

/** `start` and `end`: its start tag in the HTML; none when the HTML leaves it out. */
type PlacedElement = Element & { start: number; end: number; isImplied: boolean };

export function inlineCss(html: string): string {
  if (!/<style\b/i.test(html)) return html;
  chargeHtml(html, 1);
  const sheets = findSheets(html);
  const length = sheets.reduce((sum, { css }) => sum + css.length, 0);
  if (length > maxSheetLength) return html;
  const rules = readRules(sheets);
  return rules.inlined.length === 0 ? html : (inlineRules(html, rules, sheets) ?? html);
}

/** Rules by the id, class or name of the rightmost part, so that an element is compared only with likely ones. */
function indexOf<T>(rules: readonly T[], selectorOf: (rule: T) => Selector): Map<string, T[]> {
  return Map.groupBy(rules, (rule) => {
    const { id, classes, tag } = selectorOf(rule).parts[0]!.compound;
    return id ? `#${id}` : classes.length > 0 ? `.${classes[0]}` : tag;
  });
}

const invisibleElements = new Set(["html", "head", "title", "meta", "style", "link", "script", "base"]);
const noClasses = new Set<string>();

/** All elements in the order of their start tags. */
function readElements(html: string): PlacedElement[] {
  const all: PlacedElement[] = [];
  const open: { element: PlacedElement; children: Siblings | null }[] = [];
  const emptyFamily = (): Siblings => ({ elements: [], counts: new Map() });
  const [heads, outermost] = [emptyFamily(), emptyFamily()];

  const siblingsOf = (name: string): Siblings => {
    const around = open.at(-1);
    if (around) {
      around.children ??= emptyFamily();
      return around.children;
    }
    // A browser moves sheets and the like that a fragment begins with to the head, so the first paragraph is the first
    // child.
    return outermost.elements.length === 0 && invisibleElements.has(name) && name !== "html" ? heads : outermost;
  };

  const parser = new Parser(
    {
      onopentag(name, attributes, isImplied) {
        const classes = attributes.class ? new Set(attributes.class.split(/\s+/)) : noClasses;
        const siblings = siblingsOf(name);
        const positionOfType = (siblings.counts.get(name) ?? 0) + 1;
        const element: PlacedElement = {
          name,
          classes,
          attributes,
          parent: open.at(-1)?.element ?? null,
          siblings,
          position: siblings.elements.length + 1,
          positionOfType,
          start: parser.startIndex,
          end: parser.endIndex,
          isImplied,
        };
        siblings.elements.push(element);
        siblings.counts.set(name, positionOfType);
        all.push(element);
        open.push({ element, children: null });
      },
      onclosetag: () => {
        open.pop();
      },
    },
    { decodeEntities: false },
  );
  parser.end(html);
  return all;
}

type Edit = { start: number; end: number; text: string };

/** Null when it would take too much work or space. */
function inlineRules(html: string, rules: Rules, sheets: Sheet[]): string | null {
  const { inlined, conditions } = rules;
  const index = indexOf(inlined, (rule) => rule);
  const known = conditions.filter(({ selector }) => selector !== null);
  const conditionIndex = indexOf(known, ({ selector }) => selector!);
  const work = { left: maxWork };
  const book = openBook(rules, work);
  const styled: { element: PlacedElement; selected: Rule[]; kind: Kind | null }[] = [];

  for (const element of readElements(html)) {
    const { name, classes, attributes } = element;
    if (element.isImplied || invisibleElements.has(name)) continue;
    const keys = [...new Set(["*", name, `#${attributes.id}`, ...[...classes].map((one) => `.${one}`)])];
    const likely = keys.flatMap((key) => index.get(key) ?? []);
    const selected = likely.filter((rule) => matches(rule, element, work));
    const conditional = keys.flatMap((key) => conditionIndex.get(key) ?? []);
    const noted = conditional.filter(({ selector }) => matches(selector!, element, work));
    const kind = book.note(selected, noted, attributes.style);
    if (work.left < 0) return null;
    if (selected.length > 0 || kind) styled.push({ element, selected, kind });
  }
  const { places, ownMarks } = book.close();
  const edits = styled.flatMap(({ element, selected, kind }): Edit[] => {
    const { name, attributes, start, end } = element;
    const marks = ownMarks(kind);
    if (selected.length === 0 && marks.size === 0) return [];
    const style = styleOf(selected, markOwn(attributes.style, marks), kind?.unmarked);
    return [{ start, end: end + 1, text: startTag(name, { ...attributes, style }, html[end - 1] === "/") }];
  });
  for (const [sheet, list] of places.entries()) {
    const { css, start, end } = sheets[sheet]!;
    if (list.length > 0) edits.push({ start, end, text: markSheet(css, list) });
  }
  return applyEdits(html, edits);
}

/** A style attribute with `!important` at these names; unchanged where a value may contain a semicolon. */
function markOwn(style: string | undefined, names: ReadonlySet<string>): string | undefined {
  if (!style || names.size === 0 || /\([^();]*;/.test(style)) return style;
  const declarations = style.split(";").map((text) => {
    const name = text
      .slice(0, Math.max(0, text.indexOf(":")))
      .trim()
      .toLowerCase();
    return names.has(name) && !/!\s*important\s*$/i.test(text) ? `${text.trimEnd()} !important` : text;
  });
  return declarations.join(";");
}

/** Null when the result is too large. */
function applyEdits(html: string, edits: Edit[]): string | null {
  const pieces: string[] = [];
  let done = 0;
  let length = html.length;
  for (const { start, end, text } of edits.sort((a, b) => a.start - b.start)) {
    pieces.push(html.slice(done, start), text);
    done = end;
    length += text.length - (end - start);
    if (length > outputLimit) return null;
  }
  return [...pieces, html.slice(done)].join("");
}

/**
 * Declarations, weakest first. The element's own style comes last, so it wins, except over `!important`. Names in
 * `unmarked` lose their mark and come behind the own style: a media query has to win against them, and does so in the
 * sheet, where they keep it.
 */
function styleOf(selected: Rule[], own = "", unmarked?: ReadonlySet<string>): string {
  const sorted = selected.sort((a, b) => a.weight - b.weight || a.order - b.order);
  const normal = new Map<string, string>();
  const important = new Map<string, string>();
  const put = (map: Map<string, string>, [name, value]: [string, string]) => {
    map.delete(name);
    map.set(name, value);
  };
  for (const rule of sorted) {
    for (const pair of rule.normal) put(normal, pair);
    for (const pair of rule.important) put(important, pair);
  }
  const isUnmarked = ([name]: [string, string]) => unmarked?.has(name.toLowerCase()) ?? false;
  const texts = [...normal].map(([name, value]) => `${name}:${value}`);
  const marked = [...important]
    .filter((pair) => !isUnmarked(pair))
    .map(([name, value]) => `${name}:${value}!important`);
  const last = [...important].filter(isUnmarked).map(([name, value]) => `${name}:${value}`);
  return [...texts, ...marked, last.length > 0 ? own.trim().replace(/;$/, "") : own.trim(), ...last]
    .filter(Boolean)
    .join(";");
}

function startTag(name: string, attributes: Record<string, string>, isClosed: boolean): string {
  const texts = Object.entries(attributes).map(([key, value]) => ` ${key}="${value.replaceAll('"', "&quot;")}"`);
  return `<${name}${texts.join("")}${isClosed ? " /" : ""}>`;
}
