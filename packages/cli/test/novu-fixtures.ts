// A server that responds like the Novu API: single records in `data`, lists with an offset in an object in `data`,
// lists with a cursor as `{ data, next, previous }`, and the 404 of its framework for paths that it does not have.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { atEnd } from "@tidings/testkit/at-end";

type Values = Record<string, unknown>;

const channelDefaults = { email: {}, sms: {}, in_app: {}, chat: {}, push: {} };
const defaults = {
  all: { enabled: true, readOnly: false },
  channels: Object.fromEntries(Object.keys(channelDefaults).map((name) => [name, { enabled: true }])),
};

const step = (workflowId: string, stepId: string, type: string, values: Values) => ({
  ...{ _id: `st-${workflowId}-${stepId}`, stepId, name: stepId, slug: `${stepId}_st_1`, type, origin: "novu-cloud" },
  ...{ workflowId, workflowDatabaseId: "66f0", variables: { type: "object", properties: {} }, issues: {} },
  controls: { dataSchema: { type: "object" }, uiSchema: {}, values },
  controlValues: values,
});

const workflow = (workflowId: string, steps: [stepId: string, type: string, values: Values][], rest: Values = {}) => ({
  ...{ _id: `wf-${workflowId}`, workflowId, name: workflowId, slug: `${workflowId}_wf_1`, description: "", tags: [] },
  ...{ active: true, origin: "novu-cloud", status: "ACTIVE", severity: "none", issues: {}, payloadExample: {} },
  ...{ validatePayload: false, payloadSchema: null, isTranslationEnabled: false },
  ...{ createdAt: "2026-01-01T00:00:00.000Z", updatedAt: "2026-01-02T00:00:00.000Z", lastTriggeredAt: null },
  preferences: { user: null, default: defaults },
  steps: steps.map(([stepId, type, values]) => step(workflowId, stepId, type, values)),
  ...rest,
});

/** The rules that the dashboard of Novu stores as `skip`: the step runs when they are true. */
export const runsWhen = {
  isPro: { "==": [{ var: "payload.plan" }, "pro"] },
  isNotBlocked: { "!=": [{ var: "payload.blocked" }, true] },
  hasNoCode: { doesNotContain: [{ var: "payload.code" }, "X"] },
};

const workflows = [
  workflow("novu-orders", [
    ["pro-only", "in_app", { body: "For pros", skip: runsWhen.isPro }],
    ["not-blocked", "in_app", { body: "Not blocked", skip: runsWhen.isNotBlocked }],
    ["no-code", "in_app", { body: "No code", skip: runsWhen.hasNoCode }],
    ["always", "in_app", { body: "Hi {{subscriber.firstName}}", skip: {} }],
  ]),
  workflow("novu-mail", [
    ["collect", "digest", { cron: "0 9 * * *", digestKey: "" }],
    ["plain", "email", { subject: "Hi", body: "<p>Hi</p>", editorType: "html" }],
    ["framed", "email", { subject: "Hi", body: "<p>Hi</p>", editorType: "html", layoutId: "novu-frame" }],
  ]),
  workflow("novu-late", [
    ["old", "in_app", { body: "x", skip: { moreThanXAgo: [{ var: "payload.at" }, { amount: 1 }] } }],
  ]),
  workflow("novu-code", [], { origin: "external" }),
  workflow("novu-classic", [["s", "sms", {}]], { origin: "novu-cloud-v1" }),
];

const layout = {
  ...{
    _id: "l1",
    layoutId: "novu-frame",
    slug: "novu-frame_la_1",
    name: "Frame",
    isDefault: true,
    origin: "novu-cloud",
  },
  ...{ isTranslationEnabled: false, createdAt: "2026-01-01T00:00:00.000Z", updatedAt: "2026-01-01T00:00:00.000Z" },
  controls: { values: { email: { body: "<main>{{content}}</main>", editorType: "html" } } },
};

const integration = {
  ...{ _id: "i1", identifier: "novu-fcm-1", name: "Firebase", providerId: "fcm", channel: "push", active: true },
  ...{ primary: false, conditions: [{ children: [] }], credentials: {}, deleted: false },
};

const subscriber = {
  ...{
    _id: "s1",
    subscriberId: "novu-ada",
    firstName: "Ada",
    email: "ada@example.com",
    phone: "",
    data: { plan: "pro" },
  },
  ...{ deleted: false, isOnline: false, createdAt: "2026-01-01T00:00:00.000Z", updatedAt: "2026-01-01T00:00:00.000Z" },
  channels: [{ _integrationId: "i1", providerId: "fcm", credentials: { deviceTokens: ["token-1"] } }],
};

/**
 * Every channel is "decided by the subscriber" here, whoever decided it. Ada refused the in-app messages of one
 * workflow.
 */
const preferenceOf = ({ workflowId, steps }: (typeof workflows)[number], refused: string[]) => {
  const names = [...new Set(steps.map(({ type }) => type).filter((type) => type in channelDefaults))];
  return {
    enabled: true,
    channels: Object.fromEntries(names.map((name) => [name, !refused.includes(name)])),
    overrides: names.map((channel) => ({ channel, source: "subscriber" })),
    workflow: { slug: `${workflowId}_wf_1`, identifier: workflowId, name: workflowId },
  };
};
const preferences = {
  global: { enabled: true, channels: { in_app: true, email: true } },
  workflows: [preferenceOf(workflows[0]!, []), preferenceOf(workflows[1]!, ["email"])],
};

const cursorPage = (data: unknown[]) => ({ data, next: null, previous: null, totalCount: data.length });

const answers: Record<string, unknown> = {
  "/v2/layouts": { data: { layouts: [layout], totalCount: 1 } },
  "/v2/layouts/novu-frame": { data: layout },
  "/v2/workflows": { data: { workflows, totalCount: workflows.length } },
  ...Object.fromEntries(workflows.map((one) => [`/v2/workflows/${one.workflowId}`, { data: one }])),
  "/v1/integrations": { data: [integration] },
  "/v2/subscribers": cursorPage([subscriber]),
  "/v2/subscribers/novu-ada/preferences": { data: preferences },
  "/v2/topics": cursorPage([{ _id: "t1", key: "novu-team", name: "Team" }]),
  "/v2/topics/novu-team/subscriptions": cursorPage([
    { _id: "ts1", topic: { _id: "t1", key: "novu-team" }, subscriber: { _id: "s1", subscriberId: "novu-ada" } },
  ]),
};

/** Starts the server and returns its address. `others`: additional responses by path. */
export async function startNovu(others: Record<string, unknown> = {}): Promise<string> {
  const known = { ...answers, ...others };
  const server = createServer((request, response) => {
    const path = request.url!.split("?")[0]!;
    const isKnown = Object.hasOwn(known, path);
    const missing = { statusCode: 404, path, message: `Cannot GET ${path}`, error: "Not Found" };
    response.writeHead(isKnown ? 200 : 404, { "content-type": "application/json" });
    response.end(JSON.stringify(isKnown ? known[path] : missing));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  atEnd(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
