// Copies the rules of an email's style sheets into the style attributes of the elements they select, because many mail
// programs drop `<style>`. The sheet itself stays, for media queries and `:hover`. Selectors of names, classes, ids and
// attributes, combined as descendants or children, are inlined; others work only in the sheet.
//
// The html is parsed once; everything else in it stays byte for byte. A sheet that is not valid, or would take too much work
// or space, is not inlined: an email that looks plainer in some programs is better than none.
import { Parser } from "htmlparser2";
import { LRUCache } from "lru-cache";
import postcss from "postcss";
import { outputLimit } from "./bounded-liquid.ts";
import { chargeHtml } from "./html-size.ts";

const maxSheetLength = 100_000;
const maxSelectors = 2_000;
/** Comparisons of one element with one part of a selector; about 20 ms. */
const maxWork = 400_000;

type Compound = { tag: string; id: string; classes: string[]; attributes: [name: string, value: string | null][] };
type Declarations = { normal: [string, string][]; important: [string, string][] };
/** `parts` from right to left: the element itself, then its ancestors; `isChild`: it must be a child of the next part. */
type Selector = { parts: { compound: Compound; isChild: boolean }[]; weight: number; order: number } & Declarations;
type Element = { name: string; classes: string[]; attributes: Record<string, string> };

export function inlineCss(html: string): string {
  if (!/<style\b/i.test(html)) return html;
  chargeHtml(html, 1);
  const css = sheetsIn(html);
  if (css.trim() === "" || css.length > maxSheetLength) return html;
  const selectors = selectorsOf(css);
  return selectors.length === 0 ? html : (inlineSelectors(html, selectors) ?? html);
}

/** Whether the `media` of a sheet covers every screen. A sheet for print or for small screens only stays as it is. */
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

const parsed = new LRUCache<string, Selector[]>({
  max: 500,
  maxSize: 10_000_000,
  sizeCalculation: (_, css) => css.length,
});

function selectorsOf(css: string): Selector[] {
  const cached = parsed.get(css);
  if (cached) return cached;
  const selectors = readSheet(css);
  parsed.set(css, selectors);
  return selectors;
}

function readSheet(css: string): Selector[] {
  let nodes: postcss.ChildNode[];
  try {
    nodes = postcss.parse(css).nodes;
  } catch {
    return [];
  }
  const selectors: Selector[] = [];
  for (const node of nodes) {
    if (node.type !== "rule") continue;
    const declarations = readDeclarations(node);
    for (const text of node.selectors) {
      const selector = readSelector(text, selectors.length, declarations);
      if (selector) selectors.push(selector);
      if (selectors.length > maxSelectors) return [];
    }
  }
  return selectors;
}

function readDeclarations(rule: postcss.Rule): Declarations {
  const all = rule.nodes.filter((node) => node.type === "decl");
  const pairs = (isImportant: boolean) =>
    all
      .filter(({ important, prop }) => (important ?? false) === isImportant && !prop.startsWith("--"))
      .map(({ prop, value }): [string, string] => [prop, value.replaceAll('"', "'").replace(/\s+/g, " ")]);
  return { normal: pairs(false), important: pairs(true) };
}

const compoundPart = /([#.])([\w-]+)|\[([\w-]+)(?:=(?:"([^"\]]*)"|'([^'\]]*)'|([\w-]+)))?\]/y;

function readSelector(text: string, order: number, declarations: Declarations): Selector | null {
  // A rule without a selector (`{}`) selects no element.
  if (text.trim() === "") return null;
  const words = text
    .replace(/(?<!\s)\s*>\s*/g, " > ")
    .trim()
    .split(/\s+/);
  const parts: Selector["parts"] = [];
  let weight = 0;
  let isChild = false;
  for (const word of words) {
    if (word === ">") {
      if (isChild || parts.length === 0) return null;
      isChild = true;
      continue;
    }
    const compound = readCompound(word);
    if (!compound) return null;
    parts.unshift({ compound, isChild });
    isChild = false;
    weight += (compound.id ? 10_000 : 0) + 100 * (compound.classes.length + compound.attributes.length);
    weight += compound.tag === "*" ? 0 : 1;
  }
  return isChild || parts.length === 0 ? null : { parts, weight, order, ...declarations };
}

function readCompound(word: string): Compound | null {
  const tag = /^(\*|[a-z][\w-]*)?/i.exec(word)![0];
  const compound: Compound = { tag: (tag || "*").toLowerCase(), id: "", classes: [], attributes: [] };
  compoundPart.lastIndex = tag.length;
  while (compoundPart.lastIndex < word.length) {
    const found = compoundPart.exec(word);
    if (!found) return null;
    const [, sign, name, attribute, ...values] = found;
    if (sign === "#") compound.id = name!;
    else if (sign === ".") compound.classes.push(name!);
    else compound.attributes.push([attribute!.toLowerCase(), values.find((value) => value !== undefined) ?? null]);
  }
  return compound;
}

function matchesElement({ tag, id, classes, attributes }: Compound, element: Element): boolean {
  return (
    (tag === "*" || tag === element.name) &&
    (id === "" || element.attributes.id === id) &&
    classes.every((name) => element.classes.includes(name)) &&
    attributes.every(([name, value]) =>
      value === null ? Object.hasOwn(element.attributes, name) : element.attributes[name] === value,
    )
  );
}

/** Whether the selector matches the last of these nested elements. */
function matches(selector: Selector, open: Element[], work: { left: number }): boolean {
  const from = (part: number, index: number): boolean => {
    work.left -= 1;
    if (work.left < 0 || !matchesElement(selector.parts[part]!.compound, open[index]!)) return false;
    const next = selector.parts[part + 1];
    if (!next) return true;
    const furthest = selector.parts[part]!.isChild ? index - 1 : 0;
    for (let around = index - 1; around >= furthest && around >= 0; around--) if (from(part + 1, around)) return true;
    return false;
  };
  return from(0, open.length - 1);
}

/** Selectors by the id, class or name of their rightmost part, so that an element is compared only with likely ones. */
function indexOf(selectors: Selector[]): Map<string, Selector[]> {
  return Map.groupBy(selectors, ({ parts }) => {
    const { id, classes, tag } = parts[0]!.compound;
    return id ? `#${id}` : classes.length > 0 ? `.${classes[0]}` : tag;
  });
}

const invisibleElements = new Set(["html", "head", "title", "meta", "style", "link", "script", "base"]);

/** Null when it would take too much work or space. */
function inlineSelectors(html: string, selectors: Selector[]): string | null {
  const index = indexOf(selectors);
  const open: Element[] = [];
  const work = { left: maxWork };
  const pieces: string[] = [];
  let done = 0;
  let length = html.length;

  const findMatches = (element: Element): Selector[] => {
    const keys = new Set([
      "*",
      element.name,
      `#${element.attributes.id}`,
      ...element.classes.map((name) => `.${name}`),
    ]);
    return [...keys].flatMap((key) => index.get(key)?.filter((selector) => matches(selector, open, work)) ?? []);
  };

  const parser = new Parser(
    {
      onopentag(name, attributes, isImplied) {
        const classes = (attributes.class ?? "").split(/\s+/).filter(Boolean);
        const element = { name, classes, attributes };
        open.push(element);
        if (isImplied || invisibleElements.has(name) || length > outputLimit || work.left < 0) return;
        const selected = findMatches(element);
        if (selected.length === 0) return;
        const isClosed = html[parser.endIndex - 1] === "/";
        const tag = startTag(name, { ...attributes, style: styleOf(selected, attributes.style) }, isClosed);
        pieces.push(html.slice(done, parser.startIndex), tag);
        done = parser.endIndex + 1;
        length += tag.length - (done - parser.startIndex);
      },
      onclosetag: () => {
        open.pop();
      },
    },
    { decodeEntities: false },
  );
  parser.end(html);
  if (work.left < 0 || length > outputLimit) return null;
  return [...pieces, html.slice(done)].join("");
}

/** Declarations, weakest first. The element's own style comes last, so it wins, also over `!important`. */
function styleOf(selected: Selector[], own = ""): string {
  const sorted = selected.sort((a, b) => a.weight - b.weight || a.order - b.order);
  const normal = new Map<string, string>();
  const important = new Map<string, string>();
  const put = (map: Map<string, string>, [name, value]: [string, string]) => {
    map.delete(name);
    map.set(name, value);
  };
  for (const selector of sorted) {
    for (const pair of selector.normal) put(normal, pair);
    for (const pair of selector.important) put(important, pair);
  }
  const texts = [...normal].map(([name, value]) => `${name}:${value}`);
  const marked = [...important].map(([name, value]) => `${name}:${value}!important`);
  return [...texts, ...marked, own.trim()].filter(Boolean).join(";");
}

function startTag(name: string, attributes: Record<string, string>, isClosed: boolean): string {
  const texts = Object.entries(attributes).map(([key, value]) => ` ${key}="${value.replaceAll('"', "&quot;")}"`);
  return `<${name}${texts.join("")}${isClosed ? " /" : ""}>`;
}
