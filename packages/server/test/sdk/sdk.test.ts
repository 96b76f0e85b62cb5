// The published TypeScript SDK, which knows nothing of this service, as a client of it: every function is called, and
// its own checks of requests and responses have to accept what they see.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestService } from "@tidings/testkit/service";
import { audience } from "./audience.ts";
import { content } from "./content.ts";
import { delivery } from "./delivery.ts";
import { type FunctionName, functions } from "./functions.ts";
import type { Scene } from "./scenes.ts";
import { createCore, createSdk, notServedYet } from "./sdk.ts";

const settings = { TIDINGS_VOCABULARY: "novu", TIDINGS_PUBLIC_URL: "https://notify.example.com" };
const service = await startTestService(settings);
const sdk = createSdk(createCore(service.url, service.apiKey));

const scenes: Record<string, Scene> = {
  integrations: delivery.integrations,
  subscribers: audience.subscribers,
  credentials: audience.credentials,
  workflows: content.workflows,
  layouts: content.layouts,
  translations: content.translations,
  contexts: audience.contexts,
  topics: audience.topics,
  preferences: audience.preferences,
  chat: delivery.chat,
  events: delivery.events,
  notifications: delivery.notifications,
  messages: delivery.messages,
  reports: delivery.reports,
  environments: content.environments,
};

for (const [name, scene] of Object.entries(scenes)) {
  test(`the SDK works: ${name}`, () => scene({ sdk, service }));
}

test("the SDK accepts the answer of every function", (t) => {
  t.diagnostic(`not served yet: ${notServedYet.join(", ") || "none"}`);
  const names = Object.keys(functions) as FunctionName[];
  const untried = names.filter((name) => !sdk.called.has(name) && !notServedYet.includes(name));
  const failures = [...sdk.rejected].map(([name, reason]) => `${name}: ${reason}`);
  assert.deepEqual(failures, [], `the SDK rejected: ${[...sdk.rejected.keys()].join(", ")}`);
  assert.deepEqual(untried, [], `never called: ${untried.join(", ")}`);
});
