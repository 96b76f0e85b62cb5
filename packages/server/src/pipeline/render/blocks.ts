// Documents of the block editor (TipTap JSON: `{"type": "doc", "content": [...]}`) as mail html.
//
// A document is compiled to a Liquid template once, and the template is rendered for each email: so loops, conditions
// and values have the same limits and the same escaping as in HTML bodies, and the same checks when a workflow is
// saved. The HTML uses tables and inline styles, for mail programs. The HTML of each block is in block-nodes.ts.
import type { Brand } from "@tidings/contract";
import { LRUCache } from "lru-cache";
import { type BlockLook, blockLook, plainLook } from "../../lib/brand/block-look.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { blockHtml } from "./block-nodes.ts";
import { type BlockNode, type Place, table } from "./block-parts.ts";
import { RenderError, render } from "./liquid.ts";

const maxDepth = 50;
const maxNodes = 20_000;

const bodyWidth = 600;

/**
 * Clients set `editorType` automatically, so the body decides: a body that starts like a JSON object is a block
 * document (or a broken one), any other is HTML, also one that starts with `{{ ... }}`. With `editorType: "html"` only
 * a complete document counts as one: its editor was switched and the body not changed.
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

/** The document as a Liquid template for html. Throws RenderError when it is not a block document. */
export function blockTemplate(body: string, look: BlockLook = plainLook): string {
  const key = look.key + body;
  const cached = templates.get(key);
  if (cached !== undefined) return cached;
  const template = compile(readDocument(body), { loop: null, isTight: false, look });
  templates.set(key, template);
  return template;
}

/** The template centred in its own page. */
const blockPage = (template: string, { fontStack }: BlockLook): string =>
  table(
    { align: "center" },
    {},
    table({ align: "left" }, { "font-family": fontStack, padding: "8px" }, template, {
      width: `${bodyWidth}`,
      style: { width: "100%", "max-width": `${bodyWidth}px` },
    }),
  );

function readDocument(body: string): BlockNode {
  let document: unknown;
  try {
    document = JSON.parse(body);
  } catch {
    throw new RenderError("the block document is not valid JSON");
  }
  if (!isObject(document) || document.type !== "doc") {
    throw new RenderError('the block document must be an object with "type": "doc"');
  }
  return readNode(document, { count: 0 }, 1);
}

/** A node with its valid members; all others are ignored. */
function readNode(given: JsonObject, read: { count: number }, depth: number): BlockNode {
  read.count += 1;
  if (depth > maxDepth) throw new RenderError(`the block document is nested deeper than ${maxDepth} levels`);
  if (read.count > maxNodes) throw new RenderError(`the block document has more than ${maxNodes} blocks`);
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

const compile = (node: BlockNode, place: Place): string =>
  node.content.map((child) => blockHtml(child, place, (inner = place) => compile(child, inner))).join("");

/** Renders a body of either editor. `isPage`: it is the whole email, not the content of a layout. */
export function renderBody(body: string, editorType: unknown, isPage: boolean, scope: object): string {
  if (!isBlockBody(editorType, body)) return render(body, scope, "html");
  const look = blockLook((scope as { brand?: Brand }).brand);
  const template = blockTemplate(body, look);
  try {
    return render(isPage ? blockPage(template, look) : template, scope, "html");
  } catch (error) {
    // Line and column refer to the compiled template, which the author of the document never sees.
    throw error instanceof RenderError ? new RenderError(error.message) : error;
  }
}
