// Copies the rules of an email's style sheets into the style attributes of the elements they select, because many mail
// programs drop `<style>`. The sheet itself stays, for media queries and selectors that are not inlined, such as
// `:hover`.
//
// The HTML is read into a light tree first, as `:last-child` depends on what follows. Everything else in it stays byte
// for byte, except that media queries are strengthened. A sheet that is not valid, or would take too much work or
// space, is not inlined: an email that looks plainer in some programs is better than none.
import { Parser } from "htmlparser2";
import { LRUCache } from "lru-cache";
import postcss from "postcss";
import { outputLimit } from "./bounded-liquid.ts";
import { type Element, matches, readSelector, type Selector, type Siblings } from "./css-selectors.ts";
import { chargeHtml } from "./html-size.ts";
import { strengthenMediaRules } from "./media-rules.ts";

const maxSheetLength = 100_000;
const maxSelectors = 2_000;
/** Comparisons of one element with one part of a selector; about 20 ms. */
const maxWork = 400_000;

type Declarations = { normal: [string, string][]; important: [string, string][] };
type Rule = Selector & { order: number } & Declarations;
/** `start` and `end`: its start tag in the HTML; none when the HTML leaves it out. */
type PlacedElement = Element & { start: number; end: number; isImplied: boolean };

export function inlineCss(html: string): string {
  if (!/<style\b/i.test(html)) return html;
  chargeHtml(html, 1);
  const css = sheetsIn(html);
  if (css.trim() === "" || css.length > maxSheetLength) return html;
  const rules = rulesOf(css);
  const inlined = rules.length === 0 ? null : inlineRules(html, rules);
  return inlined === null ? html : strengthenMediaRules(inlined);
}

/** Whether the `media` of a sheet covers every screen. A sheet for print or for small screens only stays unchanged. */
const coversScreens = (media = ""): boolean =>
  media
    .toLowerCase()
    .split(",")
    .some((query) => ["", "all", "screen", "only all", "only screen"].includes(query.trim().replace(/\s+/g, " ")));

/** The text of all sheets, without those for other media than screens. */
function sheetsIn(html: string): string {
  const sheets: string[] = [];
  let isSheet = false;
  const parser = new Parser({
    onopentag: (name, { media }) => {
      isSheet = name === "style" && coversScreens(media);
    },
    ontext: (text) => {
      if (isSheet) sheets.push(text);
    },
    onclosetag: () => {
      isSheet = false;
    },
  });
  parser.end(html);
  return sheets.join("\n").replaceAll("<!--", "").replaceAll("-->", "");
}

const parsed = new LRUCache<string, Rule[]>({
  max: 500,
  maxSize: 10_000_000,
  sizeCalculation: (_, css) => css.length,
});

function rulesOf(css: string): Rule[] {
  const cached = parsed.get(css);
  if (cached) return cached;
  const rules = readSheet(css);
  parsed.set(css, rules);
  return rules;
}

/** One rule per selector. */
function readSheet(css: string): Rule[] {
  let nodes: postcss.ChildNode[];
  try {
    nodes = postcss.parse(css).nodes;
  } catch {
    return [];
  }
  const rules: Rule[] = [];
  for (const node of nodes) {
    if (node.type !== "rule") continue;
    const declarations = readDeclarations(node);
    for (const text of node.selectors) {
      const selector = readSelector(text);
      if (selector) rules.push({ ...selector, order: rules.length, ...declarations });
      if (rules.length > maxSelectors) return [];
    }
  }
  return rules;
}

function readDeclarations(rule: postcss.Rule): Declarations {
  const all = rule.nodes.filter((node) => node.type === "decl");
  const pairs = (isImportant: boolean) =>
    all
      .filter(({ important, prop }) => (important ?? false) === isImportant && !prop.startsWith("--"))
      .map(({ prop, value }): [string, string] => [prop, value.replaceAll('"', "'").replace(/\s+/g, " ")]);
  return { normal: pairs(false), important: pairs(true) };
}

/** Rules by the id, class or name of the rightmost part, so that an element is compared only with likely ones. */
function indexOf(rules: Rule[]): Map<string, Rule[]> {
  return Map.groupBy(rules, ({ parts }) => {
    const { id, classes, tag } = parts[0]!.compound;
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

/** Null when it would take too much work or space. */
function inlineRules(html: string, rules: Rule[]): string | null {
  const index = indexOf(rules);
  const work = { left: maxWork };
  const pieces: string[] = [];
  let done = 0;
  let length = html.length;

  for (const element of readElements(html)) {
    const { name, classes, attributes, start, end } = element;
    if (element.isImplied || invisibleElements.has(name)) continue;
    const keys = new Set(["*", name, `#${attributes.id}`, ...[...classes].map((one) => `.${one}`)]);
    const likely = [...keys].flatMap((key) => index.get(key) ?? []);
    const selected = likely.filter((rule) => matches(rule, element, work));
    if (work.left < 0) return null;
    if (selected.length === 0) continue;
    const tag = startTag(name, { ...attributes, style: styleOf(selected, attributes.style) }, html[end - 1] === "/");
    pieces.push(html.slice(done, start), tag);
    done = end + 1;
    length += tag.length - (done - start);
    if (length > outputLimit) return null;
  }
  return [...pieces, html.slice(done)].join("");
}

/** Declarations, weakest first. The element's own style comes last, so it wins, except over `!important`. */
function styleOf(selected: Rule[], own = ""): string {
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
  const texts = [...normal].map(([name, value]) => `${name}:${value}`);
  const marked = [...important].map(([name, value]) => `${name}:${value}!important`);
  return [...texts, ...marked, own.trim()].filter(Boolean).join(";");
}

function startTag(name: string, attributes: Record<string, string>, isClosed: boolean): string {
  const texts = Object.entries(attributes).map(([key, value]) => ` ${key}="${value.replaceAll('"', "&quot;")}"`);
  return `<${name}${texts.join("")}${isClosed ? " /" : ""}>`;
}
