// Retracting a message through any provider: what no adapter decides itself. The cases of the conformance suite have
// the calls of each adapter.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Io, type Message, type Unsending, unsend, unsendingOf } from "../../src/index.ts";
import { adapters } from "../../src/registry.gen.ts";
import { email, openIo, startHttp } from "../support.ts";

const id = "0199a1b2-0000-7000-8000-000000000001";
const remove: Unsending = { kind: "delete" };
const post = (webhookUrl: string): Message => ({
  id,
  channel: "chat",
  target: { kind: "webhook", webhookUrl },
  text: "Hi",
});
const sms: Message = { id, channel: "sms", to: "+15552223333", text: "Hi" };
const push: Message = { id, channel: "push", token: "t", title: "Hi", body: "There" };
const samples = { email: email(), sms, push, chat: post("https://hook.test/1") };

describe("unsend", () => {
  it("says in a sentence why a message stays, for every provider that cannot retract", async (t) => {
    const io = openIo(t);
    for (const adapter of adapters.filter(({ unsend: can }) => can === undefined || typeof can === "string")) {
      const sent = { content: samples[adapter.channel], providerMessageId: "1" };
      const outcome = await unsend(adapter.id, sent, remove, {}, io);
      assert.ok(outcome.kind === "impossible", adapter.id);
      assert.match(outcome.reason, /^[A-Z].*\b(cannot be changed|does not offer a way|can only cancel)/, adapter.id);
      assert.deepEqual(unsendingOf(adapter.id), { delete: false, replace: false, removal: false });
    }
    assert.deepEqual(unsendingOf("no-such-provider"), { delete: false, replace: false, removal: false });
  });

  it("says that Expo can remove a notification, and not change it", async (t) => {
    const sent = { content: push, providerMessageId: null };
    const replace: Unsending = { kind: "replace", content: push };
    const outcome = await unsend("expo", sent, replace, { apiKey: "k" }, openIo(t));
    assert.deepEqual(outcome, { kind: "impossible", reason: "Expo Push cannot change what it has sent" });
  });

  it("calls no one for what it cannot send", async (t) => {
    const io = openIo(t);
    const sent = { content: post("https://hook.test/1"), providerMessageId: "1" };
    const long: Unsending = {
      kind: "replace",
      content: { ...post("https://hook.test/1"), text: "x".repeat(2001) } as Message,
    };
    const cases: [string, Parameters<typeof unsend>][] = [
      ["There is no provider", ["no-such-provider", sent, remove, {}, io]],
      ["Discord sends chat, not sms", ["discord", { ...sent, content: sms }, remove, {}, io]],
      ["at most 2000", ["discord", sent, long, {}, io]],
      ["The credential apiKey of Expo Push is not set", ["expo", { ...sent, content: push }, remove, {}, io]],
    ];
    for (const [words, given] of cases) {
      const outcome = await unsend(...given);
      assert.ok("reason" in outcome && outcome.reason.includes(words), JSON.stringify(outcome));
      assert.ok(outcome.kind === "impossible" || (outcome.kind === "failed" && !outcome.canRetry));
    }
  });

  it("never rejects, and keeps secrets out of reasons", async (t) => {
    const webhookUrl = "https://hook.test/s3cret-webhook-token";
    const sent = { content: post(webhookUrl), providerMessageId: "1" };
    const broken: Io = { ...openIo(t), http: () => Promise.reject(new TypeError(`oops at ${webhookUrl}`)) };
    assert.deepEqual(await unsend("discord", sent, remove, {}, broken), {
      kind: "failed",
      reason: "oops at ********",
      canRetry: true,
    });
  });

  it("connects to no address that sending would not connect to, whatever the id is", async (t) => {
    const seen: string[] = [];
    const origin = await startHttp(t, ({ method, url }, response) => {
      seen.push(`${method} ${url}`);
      response.writeHead(404, { "content-type": "application/json" }).end('{"code": 10008}');
    });
    const io = openIo(t);
    const refused = await unsend(
      "discord",
      { content: post("http://db.private/1"), providerMessageId: "1" },
      remove,
      {},
      io,
    );
    assert.ok(refused.kind === "failed" && !refused.canRetry && /refused/.test(refused.reason));
    for (const providerMessageId of [
      "//db.private/1",
      "@db.private",
      "..%2f..",
      "1\r\nhost: db.private",
      "\\..\\x",
      "a/../../b",
    ]) {
      const outcome = await unsend("discord", { content: post(`${origin}/hook`), providerMessageId }, remove, {}, io);
      assert.deepEqual(outcome, { kind: "deleted" });
    }
    assert.equal(seen.length, 6);
    for (const line of seen) assert.match(line, /^DELETE \/hook\/messages\/[^/?#]+$/);
    for (const providerMessageId of [".", ".."]) {
      const outcome = await unsend("discord", { content: post(`${origin}/hook`), providerMessageId }, remove, {}, io);
      assert.equal(outcome.kind, "impossible");
    }
    assert.equal(seen.length, 6);
  });
});
