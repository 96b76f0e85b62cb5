// Random workflows, layouts and texts survive the way through files into another environment, to the byte.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { FileResources, StepFile } from "@tidings/contract";
import { createClient } from "@tidings/testkit/client";
import fc from "@tidings/testkit/properties";
import { shareService } from "@tidings/testkit/service";
import { openEnvironment, readTree } from "./files-support.ts";

const service = await shareService();
const [from, to] = [await openEnvironment(service, "From"), await openEnvironment(service, "To")];
const client = createClient({ baseUrl: service.url, apiKey: from.apiKey });

const storable = (text: string) => !text.includes("\0") && text.isWellFormed();
/** Texts that are hard on YAML and on files: line breaks, leading spaces, signs, words that look like other types. */
const text = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 30 }).filter(storable),
  fc.string({
    unit: fc.constantFrom("\n", "\r", " ", "\t", "#", ":", "-", "{", "}", "'", '"', "|", ">", "%", "a", "é"),
  }),
  fc.constantFrom(
    "true",
    "null",
    "1e3",
    "0x1",
    "~",
    "=",
    "2026-11-16",
    "yes",
    "- a",
    "a: b",
    "\ufeffx",
    "{}",
    '{"a":1}',
  ),
);
const name = text.map((value) => `N${value.replace(/[\n\r]/g, "")}`.slice(0, 60).toWellFormed());
const id = fc.stringMatching(/^[a-z][a-z0-9]{0,6}([-_.][a-z0-9]{1,4})?$/);
const json = fc.jsonValue({ maxDepth: 2, stringUnit: "grapheme" }).filter((value) => storable(JSON.stringify(value)));
const open = fc.dictionary(fc.stringMatching(/^[a-z]{1,6}$/), json, { maxKeys: 3 });
const optional = { requiredKeys: ["stepId", "type", "controlValues"] as const };

const channelStep = fc.record(
  {
    stepId: id,
    name,
    type: fc.constantFrom("in_app", "sms", "push", "chat", "email"),
    active: fc.boolean(),
    shouldStopOnFail: fc.boolean(),
    deadlineSeconds: fc.integer({ min: 1, max: 1000 }),
    controlValues: fc.record({ body: text }, { requiredKeys: [] }),
  },
  { requiredKeys: [...optional.requiredKeys] },
);
const emailStep = fc.record({
  stepId: id,
  type: fc.constant("email" as const),
  controlValues: fc.record(
    {
      subject: text,
      body: text,
      editorType: fc.constantFrom("html", "block"),
      layoutId: id,
      skip: fc.constant({ "==": [1, 2] }),
    },
    { requiredKeys: [] },
  ),
});
const inAppStep = fc.record({
  stepId: id,
  type: fc.constant("in_app" as const),
  controlValues: fc.record({ subject: text, data: open }, { requiredKeys: [] }),
});
const waitStep = fc.record({
  stepId: id,
  type: fc.constant("delay" as const),
  controlValues: fc.record({ amount: fc.integer({ min: 1, max: 9 }), unit: fc.constantFrom("hours", "days") }),
});
const digestStep = fc.record({
  stepId: id,
  type: fc.constant("digest" as const),
  controlValues: fc.record(
    {
      amount: fc.integer({ min: 1, max: 9 }),
      unit: fc.constantFrom("hours", "days"),
      allowFrequencyChoice: fc.boolean(),
      frequencies: fc.uniqueArray(fc.constantFrom("instant", "hourly", "daily", "weekly"), { minLength: 1 }),
    },
    { requiredKeys: ["amount", "unit"] },
  ),
});
const signalStep = fc.record({
  stepId: id,
  type: fc.constant("wait" as const),
  controlValues: fc.record({
    ...{ amount: fc.integer({ min: 1, max: 9 }), unit: fc.constantFrom("hours", "days") },
    signal: fc.record({ name: id, key: text }, { requiredKeys: ["name"] }),
    onEvent: fc.constantFrom("continue", "end"),
  }),
});
const requestStep = fc.record({
  stepId: id,
  type: fc.constant("http_request" as const),
  controlValues: fc.record(
    {
      method: fc.constantFrom("GET", "POST"),
      url: text,
      headers: fc.array(fc.record({ key: name, value: text }), { maxLength: 2 }),
      body: text,
      sampleResponse: fc.record({ status: fc.integer({ min: 100, max: 599 }), body: json }),
    },
    { requiredKeys: ["method", "url"] },
  ),
});
const experimentStep = fc.record({
  stepId: id,
  type: fc.constant("experiment" as const),
  controlValues: fc.record({
    variants: fc.uniqueArray(fc.record({ id, name, weight: fc.integer({ min: 0, max: 9 }) }), {
      ...{ minLength: 2, maxLength: 3 },
      selector: (variant) => variant.id,
    }),
  }),
});
const anyStep = fc.oneof(
  ...[channelStep, emailStep, inAppStep, waitStep, digestStep, signalStep, requestStep, experimentStep],
);
const steps = fc.uniqueArray(anyStep, {
  maxLength: 4,
  selector: ({ stepId }) => stepId,
});
const translations = fc.dictionary(fc.constantFrom("en_US", "de", "zh_Hant_TW"), open, { maxKeys: 2 });
const channels = fc.dictionary(fc.constantFrom("email", "sms"), fc.record({ enabled: fc.boolean() }), { maxKeys: 2 });
const preference = fc.record(
  { all: fc.record({ enabled: fc.boolean(), readOnly: fc.boolean() }, { requiredKeys: [] }), channels },
  { requiredKeys: [] },
);

const resources = fc.record({
  workflows: fc.uniqueArray(
    fc.record(
      {
        workflowId: id,
        name,
        description: text.map((value) => value.slice(0, 100).toWellFormed()),
        tags: fc.uniqueArray(fc.stringMatching(/^[a-z]{1,5}$/), { maxLength: 3 }),
        active: fc.boolean(),
        severity: fc.constantFrom("high", "none"),
        isTranslationEnabled: fc.boolean(),
        preferences: fc.record({ workflow: preference, user: preference }, { requiredKeys: [] }),
        payloadSchema: fc.record({
          type: fc.constant("object"),
          properties: fc.dictionary(id, fc.constant({ type: "string" })),
        }),
        steps,
        translations,
      },
      { requiredKeys: ["workflowId", "name", "steps"] },
    ),
    { minLength: 1, maxLength: 4, selector: ({ workflowId }) => workflowId },
  ),
  layouts: fc.uniqueArray(
    fc.record({ layoutId: id, name, body: text, translations }, { requiredKeys: ["layoutId", "name"] }),
    { minLength: 1, maxLength: 2, selector: ({ layoutId }) => layoutId },
  ),
});

test("create, pull, apply to another environment, pull again: the files are identical", async () => {
  await fc.assert(
    fc.asyncProperty(resources, async (made) => {
      const wanted = made as FileResources & { workflows: { steps: StepFile[] }[] };
      const { fingerprint } = (await client("files.plan", { body: { resources: wanted, prune: true } })).body;
      await client("files.apply", {
        body: { resources: wanted, prune: true, expectedFingerprint: fingerprint, allowIssues: true },
      });
      const one = mkdtempSync(join(from.folder, "one-"));
      const two = mkdtempSync(join(from.folder, "two-"));
      const run = async (terminal: typeof from, cwd: string, ...argv: string[]) => {
        const ran = await terminal.runWith({ cwd }, ...argv);
        assert.equal(ran.code, 0, `${argv.join(" ")}: ${ran.stdout}${ran.stderr}`);
      };
      await run(from, one, "pull");
      await run(from, one, "plan", "--prune");
      await run(to, one, "apply", "--prune", "--allow-issues");
      await run(to, one, "plan", "--prune");
      await run(to, two, "pull");
      const [a, b] = [readTree(one), readTree(two)];
      delete a["tidings.yaml"];
      delete b["tidings.yaml"];
      assert.deepEqual(b, a);
      rmSync(one, { recursive: true });
      rmSync(two, { recursive: true });
    }),
    { numRuns: 12, endOnFailure: true },
  );
});
