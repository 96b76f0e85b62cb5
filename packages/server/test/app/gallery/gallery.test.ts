// The gallery over HTTP. That each template does what its scenario says is tested with the command line
// (packages/cli/test/gallery.rest.test.ts).
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { refused } from "@tidings/testkit/refusals";
import { shareService } from "@tidings/testkit/service";
import { connectInbox } from "@tidings/testkit/verbs";

const { client, production } = await shareService();
const { templates } = (await client("gallery.list")).body;

test("the gallery has fifteen templates; those for signing in are critical", () => {
  assert.equal(templates.length, 15);
  const critical = templates.filter(({ isCritical }) => isCritical).map(({ name }) => name);
  assert.deepEqual(critical, ["verify-address", "one-time-code", "password-reset", "new-sign-in"]);
});

describe("each template", () => {
  for (const { name, channels } of templates) {
    test(`${name} has a preview of every message, and becomes a workflow without issues`, async () => {
      await client("brand.update", { body: { name: "Acme", colors: { primary: "#0b5fff" } } });
      const { body } = await client("gallery.retrieve", { params: { name } });
      assert.deepEqual([...new Set(body.previews.map(({ channel }) => channel))], channels);
      for (const { channel, subject, body: text } of body.previews) {
        assert.doesNotMatch(`${subject} ${text}`, /\{\{|\{%|undefined/);
        assert.notEqual(text.trim(), "");
        if (channel === "email") assert.match(text, /Acme/);
      }
      assert.match(body.scenario, new RegExp(`trigger: ${name}\\n`));
      await connectInbox(client);
      const { workflowId } = (await client("gallery.use", { params: { name }, body: {} })).body;
      const workflow = (await client("workflows.retrieve", { params: { workflowId } })).body;
      const issues = workflow.steps.flatMap(({ issues: found }) => Object.keys(found?.controls ?? {}));
      assert.deepEqual([issues, workflow.active], [[], true]);
    });
  }
});

test("an identifier that is taken is refused with one that is free; nothing is overwritten", async () => {
  const params = { name: "invoice" };
  await production("gallery.use", { params, body: { workflowId: "bills", name: "Bills" } });
  const error = await refused(
    production,
    "gallery.use",
    { params, body: { workflowId: "bills" } },
    "WORKFLOW_ID_TAKEN",
  );
  assert.equal(error.message, "Workflow bills already exists. The identifier bills-1 is free");
  assert.equal((error as { suggestedWorkflowId?: string }).suggestedWorkflowId, "bills-1");
  assert.equal((await production("workflows.retrieve", { params: { workflowId: "bills" } })).body.name, "Bills");
  const both = await Promise.all([1, 2].map(() => production("gallery.use", { params, body: {} })));
  assert.deepEqual(both.map(({ body }) => body.workflowId).sort(), ["invoice", "invoice-1"]);
  assert.equal((await production("gallery.retrieve", { params })).body.workflowId, "invoice-2");
});

test("the first template with an email brings a layout; another layout is not touched", async () => {
  const { layouts } = (await production("layouts.list", { query: {} })).body;
  assert.deepEqual(
    layouts.map(({ layoutId, isDefault }) => [layoutId, isDefault]),
    [["brand", true]],
  );
});

test("an unknown name is refused with the names there are", async () => {
  const input = { params: { name: "newsletter" } };
  const error = await refused(client, "gallery.retrieve", input, "GALLERY_TEMPLATE_NOT_FOUND");
  assert.match(String(error.message), /has no template newsletter\. It has: welcome, verify-address, .*, incident$/);
  await refused(client, "gallery.use", { ...input, body: {} }, "GALLERY_TEMPLATE_NOT_FOUND");
});
