// What an integration's configurations add to the messages that go through it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { toProviderMessage } from "../../src/pipeline/deliver/message.ts";
import type { MessageRow } from "../../src/store/messages.ts";

const none = { attachments: new Map(), tokens: new Map() };
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
