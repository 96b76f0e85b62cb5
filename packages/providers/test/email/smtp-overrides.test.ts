// What a trigger overrides reaches a mail sent by SMTP, or is named as ignored; and what the adapters that send this
// way have in common.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "@tidings/contract";
import fc from "@tidings/testkit/properties";
import { check, type EmailMessage, send } from "../../src/index.ts";
import { withUniqueRecipients } from "../../src/kit/mail.ts";
import { email, openIo, type Received, rich, richEmail, startSmtp } from "../support.ts";

const credentials = (port: number) => ({
  ...{ host: "mail.test", port: String(port), secure: false, user: "u", password: "smtp-s3cret" },
  ...{ from: "noreply@example.com", senderName: "Example" },
});

const headerOf = (got: Received | undefined, key: string) =>
  got?.mail.headers.filter((item) => item.key === key).map(({ value }) => value);

describe("overrides of a mail sent by SMTP", { concurrency: true }, () => {
  for (const provider of ["nodemailer", "emailjs"]) {
    it(`are headers through ${provider}, and what is none is named`, async (t) => {
      const { port, received } = await startSmtp(t, { onAuth: (_auth, _session, done) => done(null, { user: "u" }) });
      const message = email({
        headers: { "List-Unsubscribe": "<https://notify.example.com/u/1>", "x-team": "one" },
        extra: {
          priority: "high",
          in_reply_to: "first@example.com",
          references: ["<first@example.com>", "second@example.com"],
          list: {
            unsubscribe: "https://example.com/out",
            help: { url: "help@example.com", comment: "Help" },
            id: "l.example.com",
          },
          dsn: { notify: "never" },
          attachDataUrls: true,
        },
        passthrough: { headers: { "X-Team": "two" }, body: { encoding: "base64" }, query: { a: "1" } },
      });
      const outcome = await send(provider, message, credentials(port), openIo(t));
      const reason = "A mail sent by SMTP has no such member";
      const names = ["dsn", "attachDataUrls", "_passthrough.body.encoding", "_passthrough.query.a"];
      assert.deepEqual(outcome, {
        kind: "accepted",
        providerMessageId: `<${message.id}@example.com>`,
        notes: names.map((name) => ({ about: "override", name, reason })),
      });
      const header = (key: string) => headerOf(received[0], key);
      assert.deepEqual(header("importance"), ["High"]);
      assert.deepEqual(header("x-priority"), ["1 (Highest)"]);
      assert.deepEqual(header("in-reply-to"), ["<first@example.com>"]);
      assert.deepEqual(header("references"), ["<first@example.com> <second@example.com>"]);
      assert.deepEqual(header("list-unsubscribe"), ["<https://example.com/out>"]);
      assert.deepEqual(header("list-help"), ["<mailto:help@example.com> (Help)"]);
      assert.deepEqual(header("list-id"), ["<l.example.com>"]);
      assert.deepEqual(header("x-team"), ["two"]);
    });
  }

  it("take the promise of one click along with the link that it was made for", async (t) => {
    const { port, received } = await startSmtp(t, { onAuth: (_auth, _session, done) => done(null, { user: "u" }) });
    const headers = { "List-Unsubscribe": "<https://a.test/u>", "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" };
    const message = email({ headers, extra: { list: { unsubscribe: "out@example.com" } } });
    assert.equal((await send("nodemailer", message, credentials(port), openIo(t))).kind, "accepted");
    assert.deepEqual(headerOf(received[0], "list-unsubscribe"), ["<mailto:out@example.com>"]);
    assert.deepEqual(headerOf(received[0], "list-unsubscribe-post"), []);
  });

  const wrong: [extra: JsonObject, reason: RegExp][] = [
    [{ priority: "urgent" }, /priority must be high, normal or low/],
    [{ priority: "constructor" }, /priority/],
    [{ inReplyTo: "a b\r\nBcc: x@example.com <" }, /inReplyTo must be the id/],
    [{ references: [1] }, /references must be the id/],
    [{ list: "https://example.com" }, /list must be an object/],
    [{ list: { unsubscribe: "https://a.test>\r\nBcc: <x@example.com" } }, /list\.unsubscribe must be an address/],
    [{ list: { "x\r\nBcc": "https://a.test" } }, /list may have the members/],
  ];
  for (const [extra, reason] of wrong) {
    it(`are refused by name: ${JSON.stringify(extra)}`, async (t) => {
      const outcome = await send("nodemailer", email({ extra }), credentials(1), openIo(t));
      assert.ok(outcome.kind === "rejected" && outcome.class === "content", JSON.stringify(outcome));
      assert.match(outcome.reason, reason);
    });
  }
});

describe("a mail with everything", () => {
  it("arrives by SMTP as it is, with each address once", async (t) => {
    const { port, received } = await startSmtp(t, { onAuth: (_auth, _session, done) => done(null, { user: "u" }) });
    const outcome = await send("emailjs", richEmail(), credentials(port), openIo(t));
    assert.equal(outcome.kind, "accepted");
    assert.ok(!("notes" in outcome), JSON.stringify(outcome));
    const [got] = received;
    assert.deepEqual(got?.recipients, ["ada@example.com", "b@example.com", "c@example.com", "d@example.com"]);
    assert.deepEqual(got?.mail.to?.[1], { name: "Zoë Ñandú", address: "b@example.com" });
    assert.deepEqual(got?.mail.cc, [{ name: "", address: "c@example.com" }]);
    assert.deepEqual(headerOf(got, "x-trace"), [rich.headers["X-Trace"]]);
    assert.ok(got?.raw.split("\r\n").every((line) => line.length <= 998));
    const files = got?.mail.attachments.map(({ filename, disposition, contentId, related, content }) => ({
      ...{ filename, disposition, contentId, related: related ?? false },
      content: Buffer.from(content as ArrayBuffer).toString("hex"),
    }));
    assert.deepEqual(
      files?.toSorted((a, b) => String(a.filename).localeCompare(String(b.filename), "en")),
      [
        {
          ...{ filename: "logo.png", disposition: "inline", contentId: "<logo@example.com>", related: true },
          content: rich.png.toString("hex"),
        },
        {
          ...{ filename: "Überblick.pdf", disposition: "attachment", contentId: undefined, related: false },
          content: Buffer.from(rich.pdf).toString("hex"),
        },
      ],
    );
  });

  it("says what cannot be shown inline, and attaches what is to be attached", async (t) => {
    const { port, received } = await startSmtp(t, { onAuth: (_auth, _session, done) => done(null, { user: "u" }) });
    const file = { mime: "image/png", content: rich.png };
    const attachments = [
      { ...file, name: "a.png", disposition: "inline" as const },
      { ...file, name: "b.png", disposition: "attachment" as const, contentId: "b" },
    ];
    const outcome = await send("nodemailer", email({ attachments }), credentials(port), openIo(t));
    const reason = "It is attached and not shown inline: it has no cid";
    assert.ok(outcome.kind === "accepted");
    assert.deepEqual(outcome.notes, [{ about: "attachment", name: "a.png", reason }]);
    assert.deepEqual(
      received[0]?.mail.attachments.map(({ disposition, contentId }) => [disposition, contentId]),
      [
        ["inline", undefined],
        ["attachment", undefined],
      ],
    );
  });

  it("has every address once, in the first list that names it, whatever is given", () => {
    const address = fc
      .tuple(fc.constantFrom("a", "b", "c", "d"), fc.boolean(), fc.constantFrom("", "Ada "))
      .map(([name, isUpper, label]) => {
        const plain = `${name}@example.com`;
        return label ? `${label}<${isUpper ? plain.toUpperCase() : plain}>` : isUpper ? plain.toUpperCase() : plain;
      });
    const list = fc.array(address, { maxLength: 5 });
    const bare = (text: string) => (/<(.+)>/.exec(text)?.[1] ?? text).toLowerCase();
    fc.assert(
      fc.property(list, list, list, (to, cc, bcc) => {
        const got = withUniqueRecipients(email({ to, cc, bcc })) as Required<EmailMessage>;
        const all = [...got.to, ...got.cc, ...got.bcc].map(bare);
        assert.deepEqual(all.toSorted(), [...new Set([...to, ...cc, ...bcc].map(bare))].toSorted());
        for (const one of got.cc) assert.ok(!to.map(bare).includes(bare(one)));
        for (const one of got.bcc) assert.ok(![...to, ...cc].map(bare).includes(bare(one)));
      }),
      { numRuns: 200 },
    );
  });
});

describe("EmailJS", () => {
  it("signs in with user and password, and checks them", async (t) => {
    const logins: unknown[] = [];
    const { port } = await startSmtp(t, {
      authOptional: false,
      onAuth: ({ username, password }, _session, done) => {
        logins.push([username, password]);
        done(null, { user: username });
      },
    });
    assert.deepEqual(await check("emailjs", credentials(port), openIo(t)), { ok: true });
    assert.equal((await send("emailjs", email(), credentials(port), openIo(t))).kind, "accepted");
    assert.deepEqual(logins, [
      ["u", "smtp-s3cret"],
      ["u", "smtp-s3cret"],
    ]);
  });
});
