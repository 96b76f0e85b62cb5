// Preheader, sender name, reply address, copies and own text of an email step: rendered, validated, and weaker than
// the overrides of an event.
import assert from "node:assert/strict";
import { test } from "node:test";
import { shareService } from "@tidings/testkit/service";
import { createWorkflow, detailsOf, email, settled } from "@tidings/testkit/verbs";

const { client } = await shareService();

const workflow = await createWorkflow(client, "lines", [
  email({
    subject: "Hi",
    body: "<p>Hello</p>",
    preheader: "News for {{ payload.name }}",
    senderName: "{{ payload.shop }}",
    replyTo: "{{ payload.replyTo }}",
    cc: "{{ payload.boss }},two@example.com",
    bcc: "archive@example.com",
    text: "Hello, {{ payload.name }} & co",
  }),
]);

async function send(payload: object, overrides: object = {}) {
  const to = { subscriberId: "ada", email: "ada@example.com" };
  const events = [{ name: "lines", to, payload, overrides }] as never;
  const [result] = (await client("events.triggerBulk", { body: { events } })).body;
  const [notification] = await settled(client, result!.transactionId!);
  const { data } = (await client("captured.list", { query: { transactionId: result!.transactionId! } })).body;
  return { mail: data[0], details: detailsOf(notification!, "email") };
}

test("the mail has them, rendered; an empty one is left out", async () => {
  const { mail } = await send({ name: "<Ada>", shop: "Acme", boss: "boss@example.com", replyTo: "" });
  assert.deepEqual(mail!.cc, ["boss@example.com", "two@example.com"]);
  assert.deepEqual(mail!.bcc, ["archive@example.com"]);
  assert.equal(mail!.senderName, "Acme");
  assert.equal(mail!.replyTo, undefined);
  assert.equal(mail!.text, "Hello, <Ada> & co");
  assert.match(mail!.html!, /^<div style="display:none;[^>]*>News for &lt;Ada&gt;[\u200c\u00a0]+<\/div><p>Hello<\/p>$/);
});

test("what the event sets wins, member by member", async () => {
  const overrides = { email: { senderName: "Event", cc: "other@example.com", text: "Event" } };
  const { mail } = await send({ shop: "Acme", replyTo: "help@example.com" }, overrides);
  assert.deepEqual([mail!.senderName, mail!.cc, mail!.text], ["Event", ["other@example.com"], "Event"]);
  assert.deepEqual([mail!.replyTo, mail!.bcc], ["help@example.com", ["archive@example.com"]]);
});

test("a value that is no address fails the step and names it; a line break gets into no header", async () => {
  const { mail, details } = await send({ replyTo: "nobody" });
  assert.equal(mail, undefined);
  assert.ok(details.includes("Message content could not be rendered"), details.join());
  const injected = await send({ shop: "Acme\r\nBcc: x@example.com" });
  assert.equal(injected.mail!.senderName, "Acme Bcc: x@example.com");
});

test("a constant that is no address is an issue of the step", async () => {
  assert.equal(workflow.steps[0]!.issues?.controls, undefined);
  const step = email({
    subject: "Hi",
    body: "x",
    replyTo: "nobody",
    cc: "a@example.com, b",
    senderName: "x".repeat(256),
  });
  const { steps } = await createWorkflow(client, "wrong-lines", [step]);
  const messages = Object.entries(steps[0]!.issues!.controls!).map(([name, [issue]]) => [name, issue!.message]);
  assert.deepEqual(messages, [
    ["senderName", "senderName must not be longer than 255 characters"],
    ["replyTo", "replyTo must be an email address"],
    ["cc", "cc.1 must be an email address"],
  ]);
});
