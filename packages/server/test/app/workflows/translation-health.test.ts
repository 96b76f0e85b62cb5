// What is wrong with translations: texts that cannot be rendered, texts whose source has changed, keys without a text.
import assert from "node:assert/strict";
import { test } from "node:test";
import { errorOf } from "@tidings/testkit/http";
import fc from "@tidings/testkit/properties";
import { shareService } from "@tidings/testkit/service";
import { createWorkflow, email, inApp } from "@tidings/testkit/verbs";
import { outdatedKeys, sourcesAfter, textsByKey } from "../../../src/lib/text/translated-texts.ts";

const { client } = await shareService();

await createWorkflow(
  client,
  "order",
  [
    inApp({ subject: "{{ t.subject }}", body: "{{ t.order.shipped }} {{ t.items | plural: payload.count }}" }),
    email({
      subject: "{{ t.subject }}",
      body: "<p>{{ t[payload.kind] }} {% if payload.x %}{{ t.note }}{% endif %}</p>",
    }),
  ],
  { isTranslationEnabled: true },
);

const params = { resourceType: "workflow" as const, resourceId: "order" };
const store = async (locale: string, content: object, reviewed?: string[]) =>
  (await client("translations.create", { body: { ...params, locale, content: { ...content }, reviewed } })).body;
const read = async (locale: string) => (await client("translations.retrieve", { params: { ...params, locale } })).body;
const listed = async (locale: string) =>
  (await client("translations.listGroups", { query: { query: "order" } })).body.groups[0]!.completeness.find(
    (one) => one.locale === locale,
  );

test("the keys that templates use are listed with their places, before there are texts", async () => {
  const { data } = (await client("translations.listKeys", { params })).body;
  assert.deepEqual(
    data.map(({ key }) => key),
    ["items", "note", "order.shipped", "subject"],
  );
  assert.deepEqual(data.at(-1)!.places, ["In-app: subject", "Email: subject"]);
  const unknown = await client.raw("translations.listKeys", { params: { ...params, resourceId: "unknown" } });
  errorOf(unknown, "WORKFLOW_NOT_FOUND");
});

test("a translation is outdated when its source has changed, until it is translated again or reviewed", async () => {
  await store("en_US", { subject: "Your order", order: { shipped: "Shipped" } });
  const german = { subject: "Ihre Bestellung", order: { shipped: "Versandt" } };
  assert.equal("outdatedKeys" in (await store("de_DE", german)), false);
  await store("en_US", { subject: "Your order {{ payload.number }}", order: { shipped: "On its way" } });
  assert.deepEqual((await read("de_DE")).outdatedKeys?.sort(), ["order.shipped", "subject"]);
  assert.equal((await listed("de_DE"))!.outdated, 2);
  assert.equal("outdated" in (await listed("en_US"))!, false);
  // One is translated again, the other one still fits.
  const again = { ...german, subject: "Ihre Bestellung {{ payload.number }}" };
  assert.deepEqual((await store("de_DE", again)).outdatedKeys, ["order.shipped"]);
  assert.equal("outdatedKeys" in (await store("de_DE", again, ["order.shipped"])), false);
});

test("a text with broken Liquid is named with its key, and in a preview with its language too", async () => {
  const { faults } = await store("fr_FR", {
    subject: "Bonjour {{ payload.name }",
    order: { shipped: "{{ 1 | nope }}" },
  });
  assert.deepEqual(faults!.map(({ key }) => key).sort(), ["order.shipped", "subject"]);
  assert.equal((await listed("fr_FR"))!.faulty, 2);
  const step = { type: "in_app" as const, controlValues: { subject: "{{ t.subject }}", body: "Hi" } };
  const shown = await client("workflows.preview", { body: { step, workflowId: "order", locale: "fr_FR" } });
  assert.match(JSON.stringify(shown.body.data.faults), /translation subject, fr_FR: /);
});

const content = fc.dictionary(
  fc.constantFrom("a", "b", "c.d"),
  fc.oneof(fc.constantFrom("x", "y"), fc.dictionary(fc.constantFrom("e", "f"), fc.constantFrom("x", "z"))),
);

test("only texts with a known source are outdated, and only when it differs", () => {
  fc.assert(
    fc.property(content, content, content, (reference, next, texts) => {
      const sources = sourcesAfter(texts, { reference });
      assert.deepEqual(outdatedKeys({ content: texts, sources }, reference), []);
      const [old, now] = [textsByKey(reference), textsByKey(next)];
      const expected = [...textsByKey(texts).keys()].filter(
        (key) => old.has(key) && now.has(key) && old.get(key) !== now.get(key),
      );
      assert.deepEqual(outdatedKeys({ content: texts, sources }, next), expected);
      // Saved again without a change, nothing is forgotten.
      const kept = sourcesAfter(texts, { before: { content: texts, sources }, reference: next });
      assert.deepEqual(outdatedKeys({ content: texts, sources: kept }, next), expected);
    }),
  );
});
