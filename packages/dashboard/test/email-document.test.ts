// Block documents in the email editor and back: nothing is lost, whatever a document has.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "@tidings/testkit/properties";
import { EditorState, Selection } from "prosemirror-state";
import { type Body, changeBody, readBody } from "../src/email/document/body.ts";
import { bodyOfHtml, editorTypeOf, emptyBody } from "../src/email/document/start.ts";
import { writeNode } from "../src/email/document/write.ts";
import { moveBlock } from "../src/email/editor/commands.ts";
import { cleanHtml } from "../src/email/editor/paste.ts";
import { difference } from "../src/email/editor/view.ts";

type Block = { type?: unknown; attrs?: unknown; content?: unknown; [member: string]: unknown };

const anything = fc.jsonValue({ maxDepth: 2 });
const attrs = fc.dictionary(
  fc.constantFrom("textAlign", "level", "showIfKey", "showIf", "each", "url", "x-own"),
  anything,
  {
    maxKeys: 3,
  },
);
const extra = fc.dictionary(fc.constantFrom("x-note", "id"), anything, { maxKeys: 1 });

const mark = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record(
      { type: fc.constantFrom("bold", "italic", "link", "textStyle", "code"), attrs },
      { requiredKeys: ["type"] },
    ),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("glow"), attrs }) },
  { weight: 1, arbitrary: anything },
);
const text = fc.record(
  { type: fc.constant("text"), text: fc.oneof(fc.string(), anything), marks: fc.array(mark, { maxLength: 3 }) },
  { requiredKeys: ["type", "text"] },
);
const leaf = (...types: string[]) => fc.record({ type: fc.constantFrom(...types), attrs }, { requiredKeys: ["type"] });
const inline = fc.oneof(
  { weight: 6, arbitrary: text },
  { weight: 2, arbitrary: leaf("variable", "hardBreak", "inlineImage") },
  { weight: 1, arbitrary: leaf("mention", "image", "paragraph") },
);
const spans = fc.record(
  { colspan: fc.oneof(fc.integer({ min: 1, max: 3 }), anything), rowspan: fc.constant(1), colwidth: fc.constant(null) },
  { requiredKeys: [] },
);

const { block } = fc.letrec<{ block: Block }>((tie) => {
  const node = (types: string[], content: fc.Arbitrary<unknown>) =>
    fc
      .tuple(
        fc.record(
          { type: fc.constantFrom(...types), attrs, content: fc.array(content, { maxLength: 3 }) },
          { requiredKeys: ["type"] },
        ),
        extra,
      )
      .map(([given, more]) => ({ ...given, ...more }));
  const inner = tie("block");
  const cell = fc.record({
    type: fc.constantFrom("tableCell", "tableHeader"),
    attrs: spans,
    content: fc.array(inner, { maxLength: 2 }),
  });
  return {
    block: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      node(["paragraph", "heading", "footer", "htmlCodeBlock", "codeBlock"], inline),
      leaf("horizontalRule", "button", "image", "spacer", "socialLinks", "linkCard", "logo"),
      anything as fc.Arbitrary<Block>,
      node(["section", "repeat", "for", "blockquote", "columns", "widget", "kept", "doc"], inner),
      node(["bulletList", "orderedList"], fc.oneof(node(["listItem"], inner), inner)),
      node(["columns"], node(["column"], inner)),
      node(["table"], node(["tableRow"], cell)),
    ) as fc.Arbitrary<Block>,
  };
});

const document = fc
  .tuple(fc.array(block, { maxLength: 6 }), extra)
  .map(([content, more]) => ({ type: "doc", ...more, content }));

const read = (json: unknown): Body => readBody(JSON.stringify(json)) ?? assert.fail("it is a document");
const plain = (json: unknown): unknown => JSON.parse(JSON.stringify(json));
const addLine = ({ doc }: Body, at: number) =>
  EditorState.create({ doc }).tr.insert(at, doc.type.schema.node("paragraph")).doc;

const selectionAt = ({ doc }: EditorState, seed: number) => Selection.near(doc.resolve(seed % (doc.content.size + 1)));

/** What an edited text may lose: borders between equal texts, the order of marks, an empty list of them. */
function normal(json: unknown): unknown {
  if (Array.isArray(json)) return joined(json.map(normal));
  if (typeof json !== "object" || json === null) return json;
  const members = Object.entries(json).map(([name, value]): [string, unknown] => [
    name,
    name === "marks" && Array.isArray(value)
      ? value
          .map(normal)
          .map((one) => JSON.stringify(one))
          .sort()
      : normal(value),
  ]);
  return Object.fromEntries(
    members
      .filter(([name, value]) => !(name === "marks" && Array.isArray(value) && value.length === 0))
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

function joined(list: unknown[]): unknown[] {
  const parts: unknown[] = [];
  for (const one of list) {
    const last = parts.at(-1) as Block | undefined;
    const [a, b] = [last, one as Block].map((part) =>
      part?.type === "text" ? JSON.stringify({ ...part, text: "" }) : "",
    );
    if (a !== "" && a === b && typeof last?.text === "string" && last.text !== "" && (one as Block).text !== "")
      parts[parts.length - 1] = { ...last, text: `${last.text}${(one as Block).text}` };
    else parts.push(one);
  }
  return parts;
}

describe("a block document in the email editor", () => {
  test("is a valid document of the editor, and is written as it was", () => {
    fc.assert(
      fc.property(document, (json) => {
        const body = read(json);
        body.doc.check();
        assert.deepEqual(normal(plain(writeNode(body.doc, new WeakMap()))), normal(plain(json)));
      }),
      { numRuns: 400 },
    );
  });

  test("keeps its text byte by byte until it is changed, and after a change was taken back", () => {
    fc.assert(
      fc.property(document, fc.integer({ min: 0, max: 4 }), (json, indent) => {
        const body = readBody(JSON.stringify(json, null, indent))!;
        assert.equal(changeBody(body, body.doc).text, body.text);
        const changed = changeBody(body, addLine(body, 0));
        assert.notEqual(changed.text, body.text);
        const state = EditorState.create({ doc: changed.doc });
        assert.equal(changeBody(body, difference(state, body.doc).doc).text, body.text);
      }),
      { numRuns: 200 },
    );
  });

  test("keeps every other block by value when one is added", () => {
    fc.assert(
      fc.property(document, fc.nat(), (json, seed) => {
        const body = read(json);
        const before = (plain(json) as { content: unknown[] }).content;
        const index = seed % (before.length + 1);
        let at = 0;
        for (let one = 0; one < index; one++) at += body.doc.child(one).nodeSize;
        const after = JSON.parse(changeBody(body, addLine(body, at)).text).content as unknown[];
        const added = before.length === 0 ? after.toSpliced(0, 1) : after.toSpliced(index, 1);
        // An empty document shows a line, which stays when another one is added.
        assert.deepEqual(before.length === 0 ? added.slice(1) : added, before);
      }),
      { numRuns: 300 },
    );
  });

  test("follows the page to another text, block by block", () => {
    fc.assert(
      fc.property(document, document, (one, other) => {
        const state = EditorState.create({ doc: read(one).doc });
        const next = read(other).doc;
        const tr = difference(state, next);
        tr.doc.check();
        assert.ok(tr.doc.eq(next));
      }),
      { numRuns: 200 },
    );
  });

  test("is moved block by block without losing anything", () => {
    fc.assert(
      fc.property(document, fc.nat(), fc.boolean(), (json, seed, isUp) => {
        const { doc, sources } = read(json);
        const state = EditorState.create({ doc });
        const placed = state.apply(state.tr.setSelection(selectionAt(state, seed)));
        let moved = placed;
        moveBlock(isUp ? -1 : 1)(placed, (tr) => {
          moved = placed.apply(tr);
        });
        moved.doc.check();
        const parts = (root: typeof doc) => {
          const found: string[] = [];
          root.descendants((node) => {
            if (node.isText || node.isLeaf) found.push(JSON.stringify(writeNode(node, sources)));
          });
          return found.sort();
        };
        assert.deepEqual(parts(moved.doc), parts(doc));
      }),
      { numRuns: 200 },
    );
  });
});

test("a body is read by the editor that the renderer would choose", () => {
  const cases: [body: string, chosen: unknown, editor: string][] = [
    ["", "html", "html"],
    ["", "block", "block"],
    ["", undefined, "block"],
    ["<p>Hi</p>", "block", "html"],
    ["{{ name }}", "block", "html"],
    [emptyBody, "html", "block"],
    ['{"type":"other"}', "html", "html"],
    ['{"type":"doc", broken', "block", "block"],
  ];
  for (const [body, chosen, editor] of cases) assert.equal(editorTypeOf(body, chosen), editor, body);
  assert.equal(readBody('{"type":"doc", broken'), null);
  assert.equal(readBody("[]"), null);
  assert.equal(readBody("")!.text, "");
});

test("HTML becomes one block, with every byte of it", () => {
  const html = '<table>\n\t<tr><td>{{ payload.a | upcase }}</td></tr></table>\u0000 "ä" \\';
  const body = readBody(bodyOfHtml(html))!;
  assert.equal(body.doc.childCount, 1);
  assert.equal(body.doc.firstChild!.textContent, html);
  assert.equal(bodyOfHtml("  "), emptyBody);
});

test("pasted HTML keeps its structure, and of its styles bold, italic and lines", () => {
  const cases: [pasted: string, kept: string][] = [
    ['<p style="color:red">a</p>', "<p>a</p>"],
    ['<span style="font-weight:700;color:red">a</span>', '<span data-style="bold">a</span>'],
    ["<b style='font-weight:normal'>a</b>", '<b data-style="normal">a</b>'],
    ["a<!-- x --><style>p{}</style>b<o:p>&nbsp;</o:p>c", "abc"],
    ["a<script>alert(1)</script>b", "ab"],
    ["a<!-- not closed", "a"],
  ];
  for (const [pasted, kept] of cases) assert.equal(cleanHtml(pasted), kept);
  // Hostile input of the largest size that is taken is cut in one pass.
  assert.equal(cleanHtml("<".repeat(2_000_000)).length, 2_000_000);
  assert.equal(cleanHtml(`<a ${" style=".repeat(300_000)}`).length, 3 + 300_000 * 7);
});
