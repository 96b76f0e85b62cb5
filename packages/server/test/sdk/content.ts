// Scenes with the SDK about what is sent: workflows, layouts, translations, and the environments they live in.
import assert from "node:assert/strict";
import type { CreateWorkflowDto } from "@novu/api/models/components/createworkflowdto.js";
import type { Scene } from "./scenes.ts";
import { createCore, createSdk } from "./sdk.ts";

type StepIn = CreateWorkflowDto["steps"][number];

/** A step of every type of the interface. */
const stepsByType: Record<StepIn["type"], StepIn> = {
  in_app: {
    name: "Inbox",
    type: "in_app",
    controlValues: {
      subject: "Hello {{subscriber.firstName}}",
      body: "<b>{{payload.text}}</b>",
      avatar: "https://example.com/a.png",
      primaryAction: { label: "Open", redirect: { url: "https://example.com", target: "_blank" } },
      secondaryAction: { label: "Later" },
      redirect: { url: "/home" },
      data: { kind: "svc" },
    },
  },
  email: {
    name: "Mail",
    type: "email",
    controlValues: { subject: "Hi", body: "<p>{{payload.text}}</p>", editorType: "html" },
  },
  sms: { name: "Text", type: "sms", controlValues: { body: "Hi {{payload.text}}" } },
  push: { name: "Push", type: "push", controlValues: { subject: "Hi", body: "{{payload.text}}" } },
  chat: { name: "Chat", type: "chat", controlValues: { body: "{{payload.text}}" } },
  delay: { name: "Wait", type: "delay", controlValues: { type: "regular", amount: 1, unit: "seconds" } },
  digest: { name: "Collect", type: "digest", controlValues: { type: "regular", amount: 1, unit: "seconds" } },
  throttle: { name: "Throttle", type: "throttle", controlValues: { amount: 1, unit: "minutes", threshold: 5 } },
  custom: { name: "Custom", type: "custom", controlValues: { custom: { a: 1 } } },
};

const allSteps = Object.values(stepsByType);

const workflows: Scene = async ({ sdk }) => {
  const made = await sdk.call("workflowsCreate", {
    name: "Everything",
    workflowId: "everything",
    description: "A step of every type",
    tags: ["billing", "all"],
    active: true,
    validatePayload: true,
    payloadSchema: { type: "object", properties: { text: { type: "string", default: "x" } }, required: ["text"] },
    severity: "high",
    preferences: { workflow: { all: { enabled: true, readOnly: false }, channels: { email: { enabled: false } } } },
    steps: allSteps,
  });
  assert.equal(made.origin, "novu-cloud");
  assert.equal(made.steps.length, allSteps.length);
  await sdk.call("workflowsCreate", {
    name: "Quick",
    workflowId: "quick",
    active: true,
    steps: [stepsByType.in_app, stepsByType.email],
  });
  // Incomplete content is stored and reported as issues.
  await sdk.call("workflowsCreate", {
    name: "Faulty",
    workflowId: "faulty",
    active: true,
    preferences: { user: null, workflow: { all: { enabled: true, readOnly: true }, channels: {} } },
    steps: [
      { name: "Empty", type: "in_app" },
      { name: "Mail", type: "email", controlValues: { body: "{{nope.x}}", editorType: "html" } },
    ],
  });
  for (const workflowId of ["everything", made.id, made.slug]) await sdk.call("workflowsGet", workflowId);
  const faulty = await sdk.call("workflowsGet", "faulty");
  assert.equal(faulty.status, "ERROR");
  // What was read can be written again.
  const { name, origin, steps: read } = faulty;
  const preferences = { workflow: faulty.preferences.default };
  await sdk.call("workflowsUpdate", { name, origin, active: true, preferences, steps: read as never }, "faulty");

  for (const { stepId } of made.steps) await sdk.call("workflowsStepsRetrieve", "everything", stepId);
  // The SDK forgot throttles in its updates.
  const kept = made.steps.filter(({ type }) => type !== "throttle");
  const steps = kept.map(({ id, name, type }) => ({ id, name, type })) as StepIn[];
  await sdk.call(
    "workflowsUpdate",
    {
      name: "Everything, again",
      origin: "novu-cloud",
      active: true,
      tags: ["billing"],
      steps: steps.map((step) => ({ ...stepsByType[step.type], ...step })) as never,
      preferences: { user: { all: { enabled: true, readOnly: false }, channels: { sms: { enabled: true } } } },
    },
    "everything",
  );
  await sdk.call("workflowsPatch", { description: "Patched", isTranslationEnabled: true }, "everything");
  const stepId = made.steps[0]!.stepId;
  assert.equal((await sdk.call("workflowsStepsRetrieve", "everything", stepId)).stepId, stepId);
  const list = await sdk.call("workflowsList", { limit: 2, offset: 0, tags: ["billing"], status: ["ACTIVE", "ERROR"] });
  assert.ok(list.totalCount >= 1);
  await sdk.call("workflowsList", { query: "quick", orderBy: "updatedAt", orderDirection: "ASC" });
  await sdk.call("workflowsCreate", { name: "Doomed", workflowId: "doomed", steps: [] });
  await sdk.call("workflowsDelete", "doomed");
};

const layouts: Scene = async ({ sdk }) => {
  const first = await sdk.call("layoutsCreate", { layoutId: "plain", name: "Plain" });
  assert.equal(first.isDefault, true);
  await sdk.call("layoutsCreate", { layoutId: "fancy", name: "Fancy", isTranslationEnabled: true });
  const html = "<html><body>{{content}}<p>{{subscriber.firstName}}</p></body></html>";
  const controlValues = { email: { body: html, editorType: "html" as const } };
  await sdk.call("layoutsUpdate", { name: "Fancier", controlValues }, "fancy");
  await sdk.call(
    "layoutsUpdate",
    { name: "Faulty", controlValues: { email: { body: "", editorType: "html" } } },
    "plain",
  );
  await sdk.call("layoutsRetrieve", "plain");
  await sdk.call("layoutsRetrieve", "fancy");
  const copy = await sdk.call("layoutsDuplicate", { name: "Copy of fancy" }, "fancy");
  const preview = await sdk.call(
    "layoutsGeneratePreview",
    { controlValues, previewPayload: { subscriber: { firstName: "Ada" } as never } },
    "fancy",
  );
  assert.equal(preview.result.type, "email");
  await sdk.call("layoutsUsage", "fancy");
  await sdk.call("layoutsUsage", "plain");
  assert.ok((await sdk.call("layoutsList", { limit: 1, query: "fanc" })).totalCount >= 1);
  await sdk.call("layoutsDelete", copy.layoutId);
};

const json = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));

const translations: Scene = async ({ sdk }) => {
  const of = { resourceType: "workflow", resourceId: "everything" } as const;
  const made = await sdk.call("translationsCreate", {
    ...of,
    locale: "en_US",
    content: { hello: "Hello", a: { b: "c" } },
  });
  assert.equal(made.locale, "en_US");
  const uploaded = await sdk.call("translationsUpload", {
    ...of,
    files: [
      { fileName: "de_DE.json", content: json({ hello: "Hallo" }) },
      { fileName: "fr_FR.json", content: json({ hello: "Bonjour" }) },
    ],
  });
  assert.equal(uploaded.successfulUploads, 2);
  await sdk.call("translationsRetrieve", { ...of, locale: "de_DE" });
  const group = await sdk.call("translationsGroupsRetrieve", "workflow", "everything");
  assert.ok(group.locales.includes("fr_FR"));
  const master = { workflows: { everything: { hello: "Hej" } }, layouts: { nowhere: { a: "b" } } };
  await sdk.call("translationsMasterImport", { locale: "sv_SE", masterJson: master });
  await sdk.call("translationsMasterUpload", { file: { fileName: "it_IT.json", content: json(master) } });
  await sdk.call("translationsMasterRetrieve", "sv_SE");
  await sdk.call("translationsDelete", { ...of, locale: "fr_FR" });
  await sdk.call("translationsGroupsDelete", "workflow", "everything");
};

const environments: Scene = async ({ sdk, service }) => {
  const listed = await sdk.call("environmentsList");
  const own = listed.find(({ apiKeys }) => apiKeys?.length);
  assert.ok(own);
  const made = await sdk.call("environmentsCreate", { name: "Staging", color: "#ff0000", parentId: own.id });
  await sdk.call("environmentsUpdate", { name: "Development", color: "#00ff00" }, own.id);
  assert.ok((await sdk.call("environmentsGetTags", own.id)).some(({ name }) => name === "billing"));
  // Publishing writes to the target, so it is the target's key that may.
  const staging = createSdk(createCore(service.url, made.apiKeys![0]!.key), sdk);
  // The SDK has its own three words for what is published: docs/decisions/0004-sdk.md.
  const before = await staging.call("environmentsDiff", {}, made.id);
  assert.deepEqual(new Set(before.resources.map(({ resourceType }) => resourceType)), new Set(["BRIDGE", "REGULAR"]));
  await staging.call("environmentsPublish", { dryRun: true }, made.id);
  const resources = [{ resourceType: "BRIDGE" as const, resourceId: "fancy" }];
  const published = await staging.call("environmentsPublish", { sourceEnvironmentId: own.id, resources }, made.id);
  assert.deepEqual(
    published.results.flatMap(({ successful }) =>
      successful.map(({ resourceType, resourceId }) => [resourceType, resourceId]),
    ),
    [["BRIDGE", "fancy"]],
  );
  await staging.call("environmentsPublish", { sourceEnvironmentId: own.id }, made.id);
  const { origin } = await sdk.call("workflowsPatch", { name: "Quicker" }, "quick");
  await sdk.call(
    "workflowsUpdate",
    { name: "Quicker", origin, preferences: {}, steps: [stepsByType.sms] as never },
    "quick",
  );
  const after = await staging.call("environmentsDiff", { sourceEnvironmentId: own.id }, made.id);
  const changes = after.resources.flatMap(({ changes }) => changes);
  assert.deepEqual(new Set(changes.map(({ resourceType }) => resourceType)), new Set(["REGULAR", "ECHO"]));
  await sdk.refused("workflowsSync", { targetEnvironmentId: made.id }, "quick");
  await staging.call("workflowsSync", { targetEnvironmentId: made.id }, "quick");
  await sdk.call("workflowsGet", "quick", made.id);
  await staging.call("environmentsDelete", made.id);
};

export const content = { workflows, layouts, translations, environments };
