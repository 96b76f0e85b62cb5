// The development mailbox: mail through the capture provider never leaves the service and can be read back.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { faultsOf } from "../support/refusals.ts";
import { startTestService } from "../support/service.ts";
import { assertShape } from "../support/shapes.ts";
import { createWorkflow, email, inApp, messagesOf, settled, trigger } from "../support/verbs.ts";

const { client, production } = await startTestService();

const sent: Record<string, string> = {};

before(async () => {
  const controls = { subject: "Order {{ payload.order }}", body: "<p>Dear <b>{{ subscriber.firstName }}</b></p>" };
  await createWorkflow(client, "mail", [inApp(), email(controls)]);
  for (const name of ["ada", "bob"]) {
    const to = { subscriberId: name, firstName: name.toUpperCase(), email: `${name}@example.com` };
    sent[name] = await trigger(client, "mail", to, { order: name.length });
    await settled(client, sent[name]);
  }
});

const list = async (query: Record<string, string | number> = {}, by = client) =>
  (await by.raw("captured.list", { query })).body as {
    data: { subscriberId: string }[];
    next: string | null;
    previous: string | null;
    totalCount: number;
  };
const people = async (query: Record<string, string | number>) =>
  (await list(query)).data.map(({ subscriberId }) => subscriberId);

test("a captured mail shows its content, its address and where it came from", async () => {
  const { body } = await client("captured.list", { query: { transactionId: sent.ada! } });
  assertShape("captured.list", body);
  assert.deepEqual([body.totalCount, body.totalCountCapped, body.next, body.previous], [1, false, null, null]);
  const [mail] = body.data;
  assert.deepEqual(mail!.to, ["ada@example.com"]);
  assert.equal(mail!.subject, "Order 3");
  assert.equal(mail!.html, "<p>Dear <b>ADA</b></p>");
  assert.equal(mail!.text, "Dear ADA");
  const { channel, providerId, integrationIdentifier, transactionId, subscriberId } = mail!;
  assert.deepEqual(
    [channel, providerId, integrationIdentifier, transactionId, subscriberId],
    ["email", "svc-email", "svc-email-default", sent.ada, "ada"],
  );
  const message = (await messagesOf(client, sent.ada!)).find(({ channel }) => channel === "email")!;
  assert.equal(mail!.messageId, message._id);
  assert.deepEqual([message.status, message.email], ["sent", "ada@example.com"]);
});

test("the mailbox is listed newest first and can be filtered", async () => {
  assert.deepEqual(await people({}), ["bob", "ada"]);
  assert.deepEqual(await people({ orderDirection: "ASC" }), ["ada", "bob"]);
  assert.deepEqual(await people({ subscriberId: "ada" }), ["ada"]);
  assert.deepEqual(await people({ transactionId: sent.bob! }), ["bob"]);
  assert.deepEqual(await people({ transactionId: sent.bob!, subscriberId: "ada" }), []);
  assert.deepEqual(await people({ channel: "email" }), ["bob", "ada"]);
  assert.deepEqual(await people({ channel: "sms" }), []);
});

test("the mailbox is a cursor list", async () => {
  const first = await list({ limit: 1 });
  assert.deepEqual([first.previous, first.totalCount], [null, 2]);
  const second = await list({ limit: 1, after: first.next! });
  assert.deepEqual(
    [...first.data, ...second.data].map(({ subscriberId }) => subscriberId),
    ["bob", "ada"],
  );
  assert.equal(second.next, null);
  const back = await list({ limit: 1, before: second.previous! });
  assert.deepEqual(back.data, first.data);
  assert.deepEqual(await faultsOf(client, "captured.list", { query: { after: "x", limit: 101 } }), {
    limit: ["limit must not be greater than 100"],
  });
  assert.deepEqual(await faultsOf(client, "captured.list", { query: { after: "x" } }), {
    after: ["after is not a valid cursor"],
  });
});

test("other environments have a mailbox of their own, empty here", async () => {
  assert.deepEqual((await list({}, production)).data, []);
});
