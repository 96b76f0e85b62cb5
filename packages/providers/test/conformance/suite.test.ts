// Every adapter against its case, and against the failures all providers share. An adapter without a case fails, and
// so does a case without an adapter.

import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { type AnyProviderId, addedProviderIds, providerIds } from "@tidings/contract";
import { atEnd } from "@tidings/testkit/at-end";
import { check, type Message, type Outcome, send, unsend } from "../../src/index.ts";
import type { Provider } from "../../src/kit/provider.ts";
import { adapters } from "../../src/registry.gen.ts";
import { openIo } from "../support.ts";
import { runOauth, runRegistrations } from "./asking.ts";
import type { ExpectedOutcome, ExpectedRequest, HttpCase, ProviderCase, Sending } from "./case.ts";
import { assertNoSecret, assertOutcome, assertSame, assertSeen } from "./compare.ts";
import { runReceipts } from "./receipts.ts";
import { type Act, openStage, type Seen } from "./stage.ts";
import { runUnsends } from "./unsending.ts";

const folder = join(import.meta.dirname, "cases");
const paths = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
const cases = await Promise.all(
  paths.map(async (path) => {
    const { default: declared } = (await import(join(folder, path))) as { default: ProviderCase };
    return { path, declared };
  }),
);

function adapterOf(id: AnyProviderId): Provider {
  const adapter = adapters.find((one) => one.id === id);
  assert.ok(adapter, `${id} has a case and no adapter`);
  return adapter;
}

describe("the cases", () => {
  it("are one for each adapter, in the folder of its channel", () => {
    assert.deepEqual(
      cases.map(({ path }) => path).toSorted(),
      adapters.map(({ id, channel }) => join(channel, `${id}.ts`)).toSorted(),
    );
    for (const { path, declared } of cases) assert.ok(path.endsWith(`/${declared.id}.ts`), path);
  });

  it("leave out none of the 77, nor what is beside them", () => {
    const covered = cases.map(({ declared }) => declared.id);
    assert.deepEqual(covered.toSorted(), [...providerIds, ...addedProviderIds].toSorted());
  });
});

const stage = await openStage();
atEnd(stage.close);

const callsOf = (request: Sending["request"]): readonly ExpectedRequest[] =>
  Array.isArray(request) ? request : [request];

type Play = {
  sending?: Sending;
  message?: Message;
  credentials?: HttpCase["credentials"];
  /** What happens to the call that sends, or to the call with the number `at`. */
  act: Act;
  at?: number;
  timeoutMs?: number;
  refuse?: true;
};

async function run(one: HttpCase, play: Play): Promise<{ outcome: Outcome; seen: Seen[] }> {
  const { sending = one.minimal, act, timeoutMs, refuse } = play;
  const { message = sending.message, credentials = one.credentials } = play;
  const calls = callsOf(sending.request);
  const scenario = { calls, acts: { [play.at ?? calls.length - 1]: act } };
  const options = { timeoutMs, refuse, ...(one.now ? { now: new Date(one.now) } : {}) };
  const { io, seen, end } = stage.play(scenario, options);
  try {
    const outcome = await send(one.id, message, credentials, io);
    if (outcome.kind !== "accepted") assertNoSecret(adapterOf(one.id), one.credentials, message, outcome.reason);
    return { outcome, seen };
  } finally {
    await end();
  }
}

async function expectOutcome(one: HttpCase, play: Play, expected: ExpectedOutcome): Promise<void> {
  const { outcome } = await run(one, play);
  assertOutcome(outcome, expected);
}

/** Members that Apple takes as headers of the request. */
const isHeaderOf = ({ id }: Provider, name: string): boolean =>
  id === "apns" && ["priority", "expiry", "expiration", "collapseId", "tag", "pushType", "topic"].includes(name);

function conformance(one: HttpCase, adapter: Provider): void {
  const { quirks } = one;

  it("sends what the documentation prescribes", async () => {
    assert.match(one.docs, /^https:\/\//);
    const { minimal, rich, accepted, credentials, more = [] } = one;
    const sendings: typeof more = [{ ...minimal, accepted }, { ...rich, accepted }, ...more];
    for (const [index, sending] of sendings.entries()) {
      const name = ["minimal", "rich"][index] ?? `more ${index - 1}`;
      const { reply, providerMessageId: id } = sending.accepted;
      const { outcome, seen } = await run(one, {
        sending,
        credentials: sending.credentials ?? credentials,
        act: reply,
      });
      assert.deepEqual(outcome, {
        kind: "accepted",
        ...(id === undefined ? {} : { providerMessageId: id }),
        ...(sending.notes ? { notes: sending.notes } : {}),
      });
      assertSeen(seen, callsOf(sending.request), name);
    }
  });

  it("sends the same bytes again", async () => {
    const play = { sending: one.rich, act: one.accepted.reply };
    const [first, second] = [await run(one, play), await run(one, play)];
    assertSame(first.seen, second.seen, quirks?.volatile ?? []);
  });

  it("takes overrides along", async () => {
    const passthrough = { headers: { "x-tidings-a": "header" }, query: { tidingsQuery: "query" } };
    const inBody = quirks?.noBodyOverrides
      ? { passthrough }
      : { extra: { tidingsExtra: "extra" }, passthrough: { ...passthrough, body: { tidingsBody: "body" } } };
    const message = { ...one.minimal.message, ...inBody };
    const { seen } = await run(one, { message, act: one.accepted.reply });
    const sent = seen.at(-1);
    assert.equal(sent?.headers["x-tidings-a"], "header");
    assert.equal(new URL(sent?.url ?? "").searchParams.get("tidingsQuery"), "query");
    if (quirks?.noBodyOverrides) return;
    const reached = `${sent?.url} ${sent?.body}`;
    assert.match(reached, /tidingsExtra/);
    assert.match(reached, /tidingsBody/);
    const hostile = { ...message, passthrough: { headers: { "x-a": "b\r\nhost: evil" } } };
    await expectOutcome(one, { message: hostile, act: one.accepted.reply }, { kind: "rejected", class: "content" });
  });

  it("takes the members it knows under the names of the provider's SDK", async () => {
    // Members of a mail are merged in their own ways: the cases have them.
    const members = adapter.channel === "email" ? [] : (adapter.overrideNames?.members ?? []);
    const names = [...new Set(members.map((path) => path.split(".")[0] ?? ""))];
    if (names.length === 0) return;
    const spelled = (name: string): string => {
      const camel = name.replace(/[_-]([a-z])/gi, (_, letter: string) => letter.toUpperCase());
      return camel.slice(0, 1).toLowerCase() + camel.slice(1);
    };
    const object = { tidings: { DataType: "String" } };
    const extra = Object.fromEntries(
      names.map((name) => [spelled(name), name === "MessageAttributes" ? object : `tidings-${name}`]),
    );
    const { seen } = await run(one, { message: { ...one.minimal.message, extra }, act: one.accepted.reply });
    const sent = seen.at(-1);
    const reached = `${sent?.url} ${sent?.body} ${Object.keys(sent?.headers ?? {})}`;
    for (const name of names) {
      if (isHeaderOf(adapter, name)) continue;
      assert.match(reached, new RegExp(`["&?]${name}(["=]|\\.entry)`), name);
      if (spelled(name) !== name) assert.doesNotMatch(reached, new RegExp(`["&?]${spelled(name)}["=]`), name);
    }
  });

  it("takes nested overrides along, or refuses them by name", async () => {
    if (quirks?.noBodyOverrides) return;
    const nested = { tidingsNested: { inner: { deep: "found" } } };
    for (const overrides of [{ extra: nested }, { passthrough: { body: nested } }]) {
      const { outcome, seen } = await run(one, {
        message: { ...one.minimal.message, ...overrides },
        act: one.accepted.reply,
      });
      const sent = seen.at(-1);
      const type = sent?.headers["content-type"] ?? "";
      if (outcome.kind === "accepted") {
        assert.match(`${sent?.body}`, /deep[^{}]*found/);
        // A field is a text: an object must not become JSON in it.
        if (/urlencoded/.test(type)) assert.doesNotMatch(decodeURIComponent(`${sent?.body}`), /\[object|\{"/);
        else assert.match(type, /json|multipart/);
      } else {
        assertOutcome(outcome, { kind: "rejected", class: "content" });
        assert.match(outcome.reason, /tidingsNested/);
        assert.ok(seen.length < callsOf(one.minimal.request).length, "nothing is sent");
      }
    }
  });

  for (const { name, reply, at, sending, outcome } of one.errors) {
    it(`understands ${name}`, () => expectOutcome(one, { act: reply, at, sending }, outcome));
  }

  it("repeats what is worth repeating", async () => {
    const later = quirks?.tooManyRequests;
    await expectOutcome(one, { act: { status: 429 } }, later ?? { kind: "retry" });
    const asked = { status: 429, headers: { "retry-after": "7" } };
    await expectOutcome(one, { act: asked }, later ?? { kind: "retry", afterMs: 7000 });
    await expectOutcome(one, { act: { status: 500 } }, quirks?.serverError ?? { kind: "retry" });
    await expectOutcome(
      one,
      { act: { status: 503, body: "<html>busy</html>" } },
      quirks?.serverError ?? { kind: "retry" },
    );
    await expectOutcome(one, { act: one.accepted.reply, refuse: true }, { kind: "retry" });
  });

  it("says when it does not know", async () => {
    await expectOutcome(one, { act: "reset" }, { kind: "unknown" });
    const expected: ExpectedOutcome = { kind: quirks?.invalidJson ?? "accepted" };
    await expectOutcome(one, { act: { status: 200, body: "{oops" } }, expected);
    // Long enough for the calls before it, which get responses, on a machine that is busy with other tests.
    const timeoutMs = 700 + 2_000 * (callsOf(one.minimal.request).length - 1);
    await expectOutcome(one, { act: "silence", timeoutMs }, { kind: "unknown" });
  });

  it("loses nothing when a call before the sending one breaks", async () => {
    for (const at of callsOf(one.minimal.request).slice(0, -1).keys()) {
      await expectOutcome(one, { act: "reset", at }, { kind: "retry" });
      await expectOutcome(one, { act: { status: 500 }, at }, { kind: "retry" });
    }
  });

  it("blames the settings for a call that leads nowhere", async () => {
    const { message } = one.minimal;
    // The address of a webhook that is gone belongs to the subscriber's endpoint.
    const isTheirs = message.channel === "chat" && message.target.kind === "webhook";
    for (const status of [404, 405, 410, 415]) {
      const isGone = status === 404 || status === 410;
      const expected = (isGone && quirks?.gone?.[status]) || {
        kind: "rejected",
        class: isGone && isTheirs ? "recipient" : "config",
      };
      await expectOutcome(one, { act: { status } }, expected as ExpectedOutcome);
    }
  });

  it("does not follow a redirect", async () => {
    const act = { status: 302, headers: { location: "https://elsewhere.example/" } };
    const { outcome, seen } = await run(one, { act });
    assertOutcome(outcome, { kind: "rejected", class: "config" });
    assert.equal(seen.length, callsOf(one.minimal.request).length);
  });

  it("never repeats a secret", async () => {
    const { outcome } = await run(one, { sending: one.rich, act: "echo-400" });
    assert.notEqual(outcome.kind, "accepted");
  });

  it("names the credential that is missing", async () => {
    for (const [name, { required }] of Object.entries(adapter.credentials)) {
      if (!required || name === "senderName") continue;
      const { [name]: _, ...credentials } = one.credentials;
      const { from: __, ...message } = one.minimal.message as Message & { from?: string };
      const { outcome, seen } = await run(one, { message, credentials, act: one.accepted.reply });
      assertOutcome(outcome, { kind: "rejected", class: "config" });
      assert.ok(outcome.kind === "rejected" && outcome.reason.includes(name), name);
      assert.equal(seen.length, 0);
    }
  });

  it("keeps to the limits it declares", async () => {
    const { text, recipients, attachmentBytes } = adapter.limits ?? {};
    const refuses = async (message: Message, limit: number, kind: string): Promise<void> => {
      const { outcome, seen } = await run(one, { message, act: one.accepted.reply });
      assertOutcome(outcome, { kind: "rejected", class: kind });
      assert.ok(outcome.kind === "rejected" && outcome.reason.includes(String(limit)));
      assert.equal(seen.length, 0);
    };
    const { message } = one.minimal;
    if (text && message.channel === "push") await refuses({ ...message, body: "x".repeat(text + 1) }, text, "content");
    else if (text && message.channel !== "email") {
      // Another SMS provider may take more; the place of a chat belongs to this one.
      const kind = message.channel === "sms" ? "config" : "content";
      await refuses({ ...message, text: "x".repeat(text + 1) } as Message, text, kind);
    }
    if (message.channel !== "email") return;
    if (recipients) {
      const cc = Array.from({ length: recipients }, (_, index) => `b${index}@example.com`);
      await refuses({ ...message, cc }, recipients, "config");
    }
    if (attachmentBytes) {
      const attachments = [{ name: "a", mime: "a/b", content: new Uint8Array(attachmentBytes + 1) }];
      await refuses({ ...message, attachments }, attachmentBytes, "config");
    }
  });

  it("checks credentials", async () => {
    assert.equal(Boolean(one.check), Boolean(adapter.check), "the case and the adapter must agree on `check`");
    if (!one.check) return;
    const calls = callsOf(one.check.request);
    for (const expected of ["ok", "bad"] as const) {
      const scenario = { calls, acts: { [calls.length - 1]: one.check[expected] } };
      const { io, seen, end } = stage.play(scenario, one.now ? { now: new Date(one.now) } : {});
      const result = await check(one.id, one.credentials, io).finally(end);
      assert.equal(result.ok, expected === "ok", JSON.stringify(result));
      assertSeen(seen, calls, "check");
      if (!result.ok) assertNoSecret(adapter, one.credentials, one.minimal.message, result.reason);
    }
  });

  it("reads delivery reports", async () => {
    assert.equal(Boolean(one.receipts), Boolean(adapter.receipts), "the case and the adapter must agree on `receipts`");
    if (one.receipts) await runReceipts(adapter, one.receipts);
  });

  it("registers for delivery reports", async () => {
    assert.equal(Boolean(one.registrations), Boolean(adapter.registerReceipts), "the case and the adapter must agree");
    if (one.registrations) await runRegistrations(stage, adapter, one, one.registrations);
  });

  it("connects workspaces", async () => {
    assert.equal(Boolean(one.oauth), Boolean(adapter.oauth), "the case and the adapter must agree on `oauth`");
    if (one.oauth) await runOauth(stage, adapter, one, one.oauth);
  });

  it("retracts what it sent", async () => {
    const can = adapter.unsend !== undefined && typeof adapter.unsend !== "string";
    assert.equal(Boolean(one.unsends), can, "the case and the adapter must agree on `unsend`");
    if (one.unsends) return runUnsends(stage, adapter, one, one.unsends);
    const sent = { content: one.minimal.message, providerMessageId: "1" };
    for (const unsending of [{ kind: "delete" }, { kind: "replace", content: sent.content }] as const) {
      const { io, seen, end } = stage.play({ calls: [], acts: {} });
      const outcome = await unsend(one.id, sent, unsending, one.credentials, io).finally(end);
      assert.equal(outcome.kind, "impossible");
      assert.equal(seen.length, 0);
    }
  });
}

// Everything at once would keep the machine so busy that timeouts lie.
describe("providers", { concurrency: 10 }, () => {
  for (const { declared } of cases) {
    describe(declared.id, () => {
      if (declared.transport === "smtp") {
        it(`speaks SMTP, tested in ${declared.testedIn}`, () => {
          assert.ok(existsSync(join(import.meta.dirname, "../..", declared.testedIn)));
        });
      } else if (declared.transport === "capture") {
        it("keeps the message and sends nothing", async (t) => {
          const io = openIo(t);
          assertOutcome(await send(declared.id, declared.message, {}, io), { kind: "accepted" });
          assert.deepEqual(
            io.captured.map(({ id }) => id),
            [declared.message.id],
          );
        });
      } else conformance(declared, adapterOf(declared.id));
    });
  }
});
