// Neighbours: what one environment hands in, however much and however slow its receivers are, does not keep another's
// message waiting.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient } from "@tidings/contract";
import { startReceiver } from "../support/receiver.ts";
import { gate } from "../support/scripted-mail.ts";
import { startTestService } from "../support/service.ts";
import { createWorkflow, email, inApp, trigger } from "../support/verbs.ts";
import { eventually } from "../support/wait.ts";
import { mailer } from "../support/webhook-providers.ts";

const closed = gate();
const receiver = await startReceiver(async ({ path }) => {
  if (path.startsWith("/slow")) await closed.opened;
  return { status: 200 };
});
const slowCalls = () => receiver.received.filter(({ path }) => path.startsWith("/slow")).length;

// `client` is the environment that takes all it can get, `neighbour` another one.
const { client, url } = await startTestService({
  TIDINGS_DELIVERY_WINDOW: "16",
  TIDINGS_PROVIDER_TIMEOUT: "60",
});
const { body: environment } = await client("environments.create", { body: { name: "Neighbour", color: "#00AA00" } });
const neighbour = createClient({ baseUrl: url, apiKey: environment.apiKeys![0]!.key });

test("slow providers of one environment leave room for another's mail", async () => {
  const integrations = Array.from({ length: 8 }, (_, index) => `slow-${index}`);
  for (const name of integrations) await mailer(client, name, `${receiver.url}/slow/${name}`);
  await mailer(neighbour, "quick", `${receiver.url}/quick`);
  await createWorkflow(client, "mail", [email()]);
  await createWorkflow(neighbour, "mail", [email()]);
  const events = Array.from({ length: 80 }, (_, index) => ({
    name: "mail",
    to: { subscriberId: `many-${index}`, email: `many-${index}@example.com` },
    overrides: { email: { integrationIdentifier: integrations[index % integrations.length] } },
  }));
  await client("events.triggerBulk", { body: { events } as never });
  await eventually(() => slowCalls() === 8, "half of the window to be taken");
  await trigger(neighbour, "mail", { subscriberId: "ada", email: "ada@example.com" });
  await eventually(() => receiver.of("/quick").length === 1, "the neighbour's mail");
  assert.equal(slowCalls(), 8, "no slow call has ended, and no more were begun");
});

test("slow webhooks of one environment leave room for another's", async () => {
  const before = slowCalls();
  for (let index = 0; index < 5; index++) {
    const url = `${receiver.url}/slow-hook/${index}`;
    await client("webhooks.create", { body: { url, eventTypes: ["message.sent"] } });
  }
  await neighbour("webhooks.create", { body: { url: `${receiver.url}/hook`, eventTypes: ["message.sent"] } });
  await createWorkflow(client, "told", [inApp()]);
  await createWorkflow(neighbour, "told", [inApp()]);
  const events = Array.from({ length: 60 }, (_, index) => ({ name: "told", to: `told-${index}` }));
  await client("events.triggerBulk", { body: { events } as never });
  await eventually(() => slowCalls() - before === 100, "half of the window to be taken");
  await trigger(neighbour, "told", "ada");
  await eventually(() => receiver.of("/hook").length === 1, "the neighbour's webhook");
  assert.equal(slowCalls() - before, 100, "no slow call has ended, and no more were begun");
  closed.open();
});
