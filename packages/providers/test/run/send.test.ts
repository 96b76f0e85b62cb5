import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { check, send } from "../../src/index.ts";
import { choice, number, secret, text } from "../../src/kit/credentials.ts";
import { type Outcome, rejected, SendError } from "../../src/kit/outcome.ts";
import { defineProvider, type Provider } from "../../src/kit/provider.ts";
import { byStatus, textAt } from "../../src/kit/reply.ts";
import { post } from "../../src/kit/request.ts";
import { runCheck } from "../../src/run/ask.ts";
import { deliver } from "../../src/run/send.ts";
import { email, openIo, startHttp } from "../support.ts";

// What an adapter of the common kind looks like; its functions compile without a cast.
function sms(url: string, more: Partial<Provider> = {}): Provider {
  return {
    ...defineProvider({
      id: "sinch",
      channel: "sms",
      name: "Sinch",
      credentials: {
        servicePlanId: text("Service plan"),
        apiToken: secret("API token"),
        region: choice("Region", ["eu", "us"], { default: "eu" }),
        port: number("Port", { optional: true }),
        from: text("From"),
      },
      request: (message, credentials) => {
        const region: "eu" | "us" = credentials.region;
        const sender: string = message.from;
        const port: number | undefined = credentials.port;
        const form = { to: message.to, from: sender, body: message.text, region, port, key: message.id };
        return post(`${url}/${credentials.servicePlanId}`, { bearer: credentials.apiToken, form });
      },
      read: (reply) => byStatus(reply, textAt(reply.json, "id")),
    }),
    ...more,
  };
}

const text1 = { id: "m1", channel: "sms", to: "+491701234567", text: "hi" } as const;
const stored = { servicePlanId: "plan", apiToken: "tok-123456", region: "us", from: "+1", port: "8080" };

describe("running a provider", () => {
  it("builds the request from message and credentials and reads the reply", async (t) => {
    let body = "";
    const url = await startHttp(t, async (request, response) => {
      for await (const chunk of request) body += chunk;
      response.end('{"id":"b-1"}');
    });
    const outcome = await deliver(sms(url), text1, stored, openIo(t));
    assert.deepEqual(outcome, { kind: "accepted", providerMessageId: "b-1" });
    assert.equal(body, "to=%2B491701234567&from=%2B1&body=hi&region=us&port=8080&key=m1");
  });

  it("does not call it without what it requires", async (t) => {
    const io = openIo(t);
    const missing = await deliver(sms("http://api.private"), text1, { ...stored, apiToken: "" }, io);
    assert.deepEqual(missing, {
      kind: "rejected",
      class: "config",
      reason: "The credential apiToken of Sinch is not set",
      isDecidedLocally: true,
    });
    const { from, ...senderless } = stored;
    const unsent = await deliver(sms("http://api.private"), text1, senderless, io);
    assert.equal(unsent.kind === "rejected" && unsent.class, "config");
  });

  it("does not give it a message of another channel", async (t) => {
    const outcome = await deliver(sms("http://api.private"), email(), stored, openIo(t));
    assert.equal(outcome.kind === "rejected" && outcome.class, "config");
  });

  it("turns a fault in the request into a repeat and one in the reading into an open outcome", async (t) => {
    const url = await startHttp(t, (_request, response) => response.end("{}"));
    const broken = (): never => {
      throw new TypeError("cannot read x");
    };
    const io = openIo(t);
    const before = await deliver(sms(url, { request: broken }), text1, stored, io);
    assert.deepEqual(before, { kind: "retry", reason: "cannot read x", isDecidedLocally: true });
    const after = await deliver(sms(url, { read: broken }), text1, stored, io);
    assert.deepEqual(after, { kind: "unknown", reason: "cannot read x" });
    const sending = await deliver(sms(url, { send: async () => broken() }), text1, stored, io);
    assert.deepEqual(sending, { kind: "unknown", reason: "cannot read x" });
  });

  it("says whether the provider was asked at all", async (t) => {
    const url = await startHttp(t, (_request, response) => response.writeHead(401).end("{}"));
    const guard = () => Promise.reject(Object.assign(new Error("private"), { code: "ADDRESS_REFUSED" }));
    const io = openIo(t);
    const ours = (): never => {
      throw new SendError(rejected("config", "odd"));
    };
    const calling: Partial<Provider> = {
      send: async (_message, _credentials, { http }) => byStatus(await http(post(url, { json: {} }))),
    };
    const mail = { host: "mail.example.com", port: 25, from: "a@example.com", senderName: "A" };
    const table: [outcome: Promise<Outcome>, isDecidedLocally: boolean][] = [
      [deliver(sms(url), text1, stored, io), false],
      [deliver(sms(url), { ...text1, to: "not-a-number" }, stored, io), true],
      [deliver(sms(url, { request: ours }), text1, stored, io), true],
      [deliver(sms("ftp://api.example.com"), text1, stored, io), true],
      [deliver(sms(url), text1, stored, openIo(t, { resolveHost: guard })), true],
      [deliver(sms(url, calling), text1, stored, io), false],
      [deliver(sms(url, { send: async () => ours() }), text1, stored, io), true],
      [deliver(sms(url, { send: async () => rejected("config", "odd") }), text1, stored, io), true],
      [send("nodemailer", email(), mail, openIo(t, { resolveHost: guard })), true],
    ];
    for (const [index, [sent, isDecidedLocally]] of table.entries()) {
      const outcome = await sent;
      assert.ok(outcome.kind === "rejected", `${index}: ${JSON.stringify(outcome)}`);
      assert.equal(outcome.isDecidedLocally === true, isDecidedLocally, `${index}: ${outcome.reason}`);
    }
  });

  it("passes a check that does not exist and reports one that throws", async (t) => {
    const io = openIo(t);
    assert.deepEqual(await runCheck(sms(""), stored, io), { ok: true });
    const thrown = sms("", { check: async () => Promise.reject(new Error("no")) });
    assert.deepEqual(await runCheck(thrown, stored, io), { ok: false, reason: "no", class: "transient" });
    assert.deepEqual(await runCheck(thrown, {}, io), {
      ok: false,
      reason: "servicePlanId is not set",
      class: "config",
    });
  });

  it("gives up a check after ten seconds", async (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const silent = sms("", { check: () => new Promise(() => {}) });
    const result = runCheck(silent, stored, openIo(t));
    t.mock.timers.tick(10_000);
    assert.deepEqual(await result, {
      ok: false,
      reason: "Sinch did not respond within 10 seconds",
      class: "transient",
    });
  });
});

describe("send", () => {
  it("says so when a provider has no adapter", async (t) => {
    const io = openIo(t);
    const outcome = await send("svc", text1, {}, io);
    assert.equal(outcome.kind === "rejected" && outcome.class, "config");
    assert.match(JSON.stringify(outcome), /There is no provider svc that sends anything/);
    assert.match(
      JSON.stringify(await send("no-such-provider", text1, {}, io)),
      /There is no provider no-such-provider/,
    );
    assert.deepEqual(await check("svc", {}, io), { ok: true });
  });

  it("keeps what the development mailbox takes", async (t) => {
    const io = openIo(t);
    const message = email({ from: "a@example.com" });
    assert.deepEqual(await send("svc-email", message, {}, io), { kind: "accepted", providerMessageId: message.id });
    assert.equal(io.captured.length, 1);
    assert.equal(io.captured[0]?.id, message.id);
  });

  it("repeats when the mailbox cannot be written", async (t) => {
    const io = openIo(t, { capture: () => Promise.reject(new Error("disk full")) });
    const outcome = await send("svc-email", email(), {}, io);
    assert.deepEqual(outcome, { kind: "retry", reason: "The message could not be captured: disk full" });
  });
});
