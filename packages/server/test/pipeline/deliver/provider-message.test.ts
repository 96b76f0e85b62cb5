// What an integration's configurations add to the messages that go through it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { toProviderMessage } from "../../../src/pipeline/deliver/message.ts";
import type { MessageRow } from "../../../src/store/messages/messages.ts";

const none = { attachments: new Map(), accesses: new Map(), peerDetails: new Map() };
const mail = (outgoing: object): MessageRow =>
  ({
    id: "m",
    channel: "email",
    subject: "Hi",
    content: "<p>Hi</p>",
    outgoing: { to: ["a@example.com"], ...outgoing },
  }) as unknown as MessageRow;

test("the configuration set of an integration goes to Amazon SES alone, and an override wins", () => {
  const extraOf = (providerId: string, outgoing: object, configurationSetName: string | undefined = "events") =>
    toProviderMessage(mail(outgoing), providerId, { configurationSetName }, none).extra;
  assert.deepEqual(extraOf("ses", {}), { ConfigurationSetName: "events" });
  assert.deepEqual(extraOf("ses", { extra: { FeedbackForwardingEmailAddress: "f@example.com" } }), {
    ConfigurationSetName: "events",
    FeedbackForwardingEmailAddress: "f@example.com",
  });
  assert.deepEqual(extraOf("ses", { extra: { ConfigurationSetName: "mine" } }), { ConfigurationSetName: "mine" });
  assert.deepEqual(extraOf("ses", { perProvider: { ses: { to: [], extra: { ConfigurationSetName: "own" } } } }), {
    ConfigurationSetName: "own",
  });
  assert.equal(extraOf("ses", {}, ""), undefined);
  assert.equal(extraOf("sendgrid", {}), undefined);
});

test("a chat message goes into the workspace of its connection, with its token if that can be read", () => {
  const accesses = new Map([
    ["c1", { accessToken: "xoxb", workspace: "T1" }],
    ["c2", { workspace: "T2" }],
  ]);
  const targetFor = (connectionId?: string) => {
    const target = { kind: "channel", channel: "C1", connectionId };
    const message = { id: "m", channel: "chat", content: "Hi", outgoing: { target } } as unknown as MessageRow;
    return (toProviderMessage(message, "slack", {}, { ...none, accesses }) as { target: object }).target;
  };
  assert.deepEqual(targetFor("c1"), { kind: "channel", channel: "C1", accessToken: "xoxb", workspace: "T1" });
  assert.deepEqual(targetFor("c2"), { kind: "channel", channel: "C1", workspace: "T2" });
  assert.deepEqual(targetFor("gone"), { kind: "channel", channel: "C1" });
  assert.deepEqual(targetFor(), { kind: "channel", channel: "C1" });
});
