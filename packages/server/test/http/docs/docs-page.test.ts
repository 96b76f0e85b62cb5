// The documentation page: complete, safe against hostile text in the document, and without external requests.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, test } from "node:test";
import { errorCatalogue, type JsonSchema, type Operation, openApiDocument, operations } from "@tidings/contract";
import { exampleOf } from "../../../src/http/docs/docs-page.example.ts";
import { docsPageCsp, renderDocsPage } from "../../../src/http/docs/docs-page.ts";

const document = openApiDocument({ version: "1.2.3" });
const page = renderDocsPage(document);

const sectionOf = (id: string, text = page): string => {
  const start = text.indexOf(`id="op-${id}"`);
  assert.notEqual(start, -1, `no section for ${id}`);
  return text.slice(start, text.indexOf("</section>", start));
};

describe("complete", () => {
  test("every operation has a section, a navigation entry, a curl command and its errors", () => {
    for (const { id, method, path, summary, errors } of Object.values(operations) as Operation[]) {
      const section = sectionOf(id);
      const text = section.replaceAll("<wbr>", "").replaceAll("&#39;", "'");
      assert.ok(text.includes(summary), id);
      assert.ok(text.includes(path), id);
      assert.ok(text.includes(`>${method}</span>`), id);
      assert.match(text, /curl /, id);
      assert.ok(page.includes(`href="#op-${id}"`), id);
      for (const code of errors) assert.ok(text.includes(code), `${id} ${code} ${errorCatalogue[code].status}`);
    }
  });

  test("every link within the page has a target, and ids are unique", () => {
    const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    assert.equal(new Set(ids).size, ids.length);
    for (const [, target] of page.matchAll(/(?:href="#|for="|aria-controls="|aria-labelledby=")([^"]+)"/g)) {
      assert.ok(ids.includes(target), target);
    }
  });

  test("fields of nested objects are shown", () => {
    const section = sectionOf("events.triggerBulk");
    assert.match(section, /Fields of TriggerEvent/);
    assert.match(section, /Fields of RecipientSubscriber/);
  });
});

describe("safe", () => {
  const hostile = `</script><script>alert("x")</script><img src=x onerror='alert(1)'> \`<b>\``;

  test("hostile text is escaped wherever it stands", () => {
    const poisoned = structuredClone(document);
    poisoned.info.description = hostile;
    for (const tag of poisoned.tags) tag.description = hostile;
    for (const item of Object.values(poisoned.paths)) {
      for (const operation of Object.values(item)) {
        operation.summary = hostile;
        operation.description = hostile;
        for (const parameter of operation.parameters) {
          if ("$ref" in parameter) continue;
          parameter.description = hostile;
          parameter.schema = { ...parameter.schema, pattern: hostile, default: hostile };
        }
      }
    }
    for (const schema of Object.values(poisoned.components.schemas)) {
      const properties = schema.properties as Record<string, JsonSchema> | undefined;
      schema.properties = { ...properties, [hostile]: { type: "string", description: hostile, enum: [hostile] } };
    }
    const text = renderDocsPage(poisoned);
    assert.equal(text.match(/<script/g)?.length, 1);
    assert.ok(!text.includes("<img"));
    assert.ok(!text.includes("<b>"));
    assert.ok(text.includes("&lt;img src=x onerror=&#39;alert(1)&#39;&gt;"));
  });

  test("nothing outside is loaded", () => {
    const sources = [...page.matchAll(/<(?:script|img|iframe|object|embed|video|audio|source)\b[^>]*\ssrc=/g)];
    assert.deepEqual(sources, []);
    const links = [...page.matchAll(/<link\b[^>]*href="([^"]*)"/g)].map(([, href]) => href ?? "");
    assert.ok(links.every((href) => href.startsWith("data:")));
    assert.ok(!/@import|url\(/.test(page));
    assert.ok([...page.matchAll(/<a\b[^>]*href="([^"]*)"/g)].every(([, href]) => !/^[a-z]+:|^\/\//.test(href ?? "")));
  });

  test("the policy admits exactly the script on the page, and no attribute needs more", () => {
    const script = page.match(/<script>([\s\S]*?)<\/script>/)?.[1] ?? "";
    const hash = createHash("sha256").update(script).digest("base64");
    assert.ok(docsPageCsp().includes(`script-src 'sha256-${hash}'`));
    assert.match(docsPageCsp(), /^default-src 'none'; style-src 'unsafe-inline'; /);
    assert.ok(!/<[^>]+\son[a-z]+="/.test(page));
  });
});

test("the page has its landmarks and one main heading", () => {
  for (const tag of ["header", "nav", "main", "h1"])
    assert.equal(page.match(new RegExp(`<${tag}[ >]`, "g"))?.length, 1);
  assert.match(page, /<html lang="en">/);
});

test("a schema that holds itself is shown and exemplified once", () => {
  const recursive = structuredClone(document);
  const children = { type: "array", items: { $ref: "#/components/schemas/Tree" } };
  const Tree: JsonSchema = { title: "Tree", type: "object", required: ["children"], properties: { children } };
  recursive.components.schemas.Tree = Tree;
  const operation = recursive.paths["/v2/subscribers"]?.post;
  assert.ok(operation);
  operation.requestBody = { required: true, content: { "application/json": { schema: Tree } } };
  assert.match(sectionOf("subscribers.create", renderDocsPage(recursive)), /list of Tree/);
  assert.ok(JSON.stringify(exampleOf(recursive, Tree)).length < 200);
});

test("example bodies have what is required and only words that are allowed", () => {
  const example = exampleOf(document, { $ref: "#/components/schemas/IntegrationIn" }) as Record<string, unknown>;
  assert.equal(example.providerId, "sendgrid");
  assert.equal(example.channel, "email");
});
