// Documents of the block editor (TipTap JSON: `{"type": "doc", "content": [...]}`) as mail html.
//
// A document is turned into a Liquid template once, and the template is rendered for each mail: so loops, conditions and
// values in it have the same limits and the same escaping as in html bodies, and the same checks when a workflow is saved.
// The html is what mail programs understand: tables and inline styles. What each block looks like is in block-nodes.ts.
import { LRUCache } from "lru-cache";
import { isObject } from "../../lib/json.ts";
import { type BlockNode, blockHtml, type Place } from "./block-nodes.ts";
import { table } from "./block-parts.ts";
import { RenderFault, render } from "./liquid.ts";

const deepest = 50;
const mostNodes = 20_000;

const bodyWidth = 600;

/**
 * Clients fill in `editorType` by themselves, so the body decides: one that begins like a JSON object is a block document
 * (or a broken one), any other is html. `{{ ... }}` is html. With `html` a whole document is still one, because the editor
 * was switched and the body stayed; everything else is html.
 */
export const isBlockBody = (editorType: unknown, body: string): boolean =>
  /^\s*\{\s*["}]/.test(body) && (editorType !== "html" || isDocument(body));

function isDocument(body: string): boolean {
  try {
    return JSON.parse(body).type === "doc";
  } catch {
    return false;
  }
}

const templates = new LRUCache<string, string>({
  max: 1_000,
  maxSize: 32_000_000,
  sizeCalculation: (template, body) => template.length + body.length + 1,
});

/** The document as a Liquid template for html. Throws RenderFault when it is no block document. */
export function blockTemplate(body: string): string {
  const cached = templates.get(body);
  if (cached !== undefined) return cached;
  const template = compile(readDocument(body));
  templates.set(body, template);
  return template;
}

/** The same in the middle of a page of its own. */
const blockPage = (template: string): string =>
  table(
    { align: "center" },
    {},
    table({ align: "left" }, { "font-family": "Helvetica,Arial,sans-serif", padding: "8px" }, template, {
      width: `${bodyWidth}`,
      style: { width: "100%", "max-width": `${bodyWidth}px` },
    }),
  );

function readDocument(body: string): BlockNode {
  let document: unknown;
  try {
    document = JSON.parse(body);
  } catch {
    throw new RenderFault("the block document is not valid JSON");
  }
  if (!isObject(document) || document.type !== "doc") {
    throw new RenderFault('the block document must be an object with "type": "doc"');
  }
  return readNode(document, { count: 0 }, 1);
}

/** A node with the members of the right kind; everything else in it is passed over. */
function readNode(given: Record<string, unknown>, read: { count: number }, depth: number): BlockNode {
  read.count += 1;
  if (depth > deepest) throw new RenderFault(`the block document is nested deeper than ${deepest} levels`);
  if (read.count > mostNodes) throw new RenderFault(`the block document has more than ${mostNodes} blocks`);
  const nodes = (value: unknown): BlockNode[] =>
    Array.isArray(value) ? value.filter(isObject).map((one) => readNode(one, read, depth + 1)) : [];
  const { type, attrs, text, marks, content } = given;
  return {
    type: typeof type === "string" ? type : "",
    attrs: isObject(attrs) ? attrs : {},
    text: typeof text === "string" ? text : "",
    marks: nodes(marks),
    content: nodes(content),
  };
}

const compile = (node: BlockNode, place: Place = { loop: null, isInListItem: false }): string =>
  node.content.map((child) => blockHtml(child, place, (inner = place) => compile(child, inner))).join("");

/** A body by whatever editor. `isPage`: nothing else will stand around it. */
export function renderBody(body: string, editorType: unknown, isPage: boolean, scope: object): string {
  if (!isBlockBody(editorType, body)) return render(body, scope, "html");
  const template = blockTemplate(body);
  try {
    return render(isPage ? blockPage(template) : template, scope, "html");
  } catch (error) {
    // A line and column of the template say nothing to those who know the document.
    throw error instanceof RenderFault ? new RenderFault(error.message) : error;
  }
}
