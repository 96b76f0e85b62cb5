// Mail on the wire: what people wrote arrives as they wrote it, in any script, and every mail server accepts the
// message: ASCII headers, lines of bounded length, a text part before the HTML.
import assert from "node:assert/strict";
import { test } from "node:test";
import { before } from "@tidings/testkit/at-end";
import { startMailServer } from "@tidings/testkit/mail/smtp";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, email, messagesOf, settled } from "@tidings/testkit/verbs";
import type { Email } from "postal-mime";
import { decodeWords } from "postal-mime";

const server = await startMailServer();
const { client } = await startTestService({ TIDINGS_PUBLIC_URL: "https://notify.example.com" });

const sentence = "Prüfung: 日本語 и русский, עברית, 👩‍👩‍👧 and a very long line without an end. ";
const files = [
  { name: "Überblick – März 2026 📄.pdf", mime: "application/pdf", bytes: Buffer.from([0, 13, 10, 46, 13, 10, 255]) },
  {
    name: `he said "hi"; it's 100% = fine.txt`,
    mime: "text/plain; charset=utf-8",
    bytes: Buffer.from("Größe\r\n.\r\n"),
  },
  { name: `${"長".repeat(60)}.bin`, mime: "application/octet-stream", bytes: Buffer.alloc(300_000, "MIME") },
];
const subject = `Größenänderung 🎉 für Zoë — 日本語のとても長い件名で折り返しが必要になるもの ${"x".repeat(80)}`;
const senderName = 'Zoë, 🚀 "Ops" Ñandú; GmbH';
/** With its name and a colon it fills the line. */
const longest = "t".repeat(998 - "X-Token: ".length);
const overrides = {
  email: {
    senderName,
    to: ["Zoë Ünal 🚀 <zoe@example.com>", '"Łukasz, Jr." <lukasz@example.com>'],
    cc: ["日本 太郎 <taro@example.jp>", "ada@bücher.example"],
    bcc: ["hidden@example.com"],
    replyTo: "Hilfe für Käthe <hilfe@example.com>",
    headers: { "X-Note": "прывітанне 👋 ".repeat(10).trim(), "X-Token": longest, "X-Plain": "a = b; c" },
  },
};

let mail: Email;
let raw: string;

const send = async (name: string, extra: object) => {
  const to = { subscriberId: "grete", email: "grete@example.com" };
  const { transactionId } = (await client("events.trigger", { body: { name, to, ...extra } as never })).body;
  await settled(client, transactionId!);
  return transactionId!;
};

before(async () => {
  const { port, user, password } = server;
  const login = { host: "127.0.0.1", port, user, password, secure: false, ignoreTls: true, requireTls: false };
  const credentials = { ...login, from: "shop@example.com", senderName: "Shop" };
  await client("integrations.create", {
    body: { providerId: "nodemailer", channel: "email", identifier: "smtp", active: true, credentials },
  });
  const body = `<p>{{ payload.note }}</p><p>.</p><p>From here on</p>`;
  await createWorkflow(client, "order", [email({ subject: "{{ payload.subject }}", body })]);
  const attachments = files.map(({ bytes, ...file }) => ({ ...file, file: bytes.toString("base64") }));
  const payload = { subject, note: sentence.repeat(60).trim(), attachments };
  const transactionId = await send("order", { payload, overrides });
  const [message] = await messagesOf(client, transactionId);
  assert.equal(message?.status, "sent", message?.errorText);
  assert.equal(server.received.length, 1);
  [mail, raw] = [server.received[0]!, server.raw[0]!];
});

const header = (name: string) => mail.headers.find(({ key }) => key === name)?.value ?? "";

test("names and subject arrive in any script, and addresses stay addresses", () => {
  assert.equal(mail.subject, subject);
  assert.deepEqual(mail.from, { name: senderName, address: "shop@example.com" });
  assert.deepEqual(mail.to, [
    { name: "", address: "grete@example.com" },
    { name: "Zoë Ünal 🚀", address: "zoe@example.com" },
    { name: "Łukasz, Jr.", address: "lukasz@example.com" },
  ]);
  assert.deepEqual(mail.cc, [
    { name: "日本 太郎", address: "taro@example.jp" },
    { name: "", address: "ada@xn--bcher-kva.example" },
  ]);
  assert.deepEqual(mail.replyTo, [{ name: "Hilfe für Käthe", address: "hilfe@example.com" }]);
  assert.ok(!raw.includes("hidden@example.com"), "blind copies are for the envelope alone");
});

test("headers of one's own arrive, whatever is in them", () => {
  assert.equal(decodeWords(header("x-note")), overrides.email.headers["X-Note"]);
  assert.equal(header("x-token"), longest);
  assert.equal(header("x-plain"), "a = b; c");
  assert.match(header("list-unsubscribe"), /^<https:\/\/notify\.example\.com\/u\/[\w.-]+>$/);
  assert.equal(header("list-unsubscribe-post"), "List-Unsubscribe=One-Click");
});

test("the text comes before the html, and both are whole", () => {
  const note = sentence.repeat(60).trim();
  assert.ok(mail.html?.includes(`<p>${note}</p>`));
  assert.equal(mail.text?.trim().replaceAll("\r\n", "\n"), `${note}\n\n.\n\nFrom here on`);
  const kinds = [...raw.matchAll(/^Content-Type: ([\w/]+)/gim)].map(([, kind]) => kind);
  assert.deepEqual(kinds.slice(0, 4), ["multipart/mixed", "multipart/alternative", "text/plain", "text/html"]);
});

test("files arrive byte by byte under their names", () => {
  assert.deepEqual(
    mail.attachments.map(({ filename, mimeType }) => [filename, mimeType]),
    files.map(({ name, mime }) => [name, mime.split(";")[0]]),
  );
  for (const [index, { content }] of mail.attachments.entries()) {
    const got = typeof content === "string" ? Buffer.from(content) : Buffer.from(content as ArrayBuffer);
    assert.ok(got.equals(files[index]!.bytes), files[index]!.name);
  }
});

test("an image that the html shows arrives beside it; overrides of SMTP are headers, and what is none is told", async () => {
  await createWorkflow(client, "logo", [email({ subject: "Logo", body: '<p><img src="cid:logo"></p>' })]);
  const bytes = Buffer.from([137, 80, 78, 71, 0, 255]);
  const file = { name: "logo.png", mime: "image/png", file: bytes.toString("base64") };
  const attachments = [
    { ...file, cid: "logo" },
    { ...file, name: "lost.png", disposition: "inline" },
  ];
  const providers = {
    nodemailer: { priority: "high", dsn: { notify: "never" }, _passthrough: { headers: { "X-A": "b" } } },
  };
  const cc = ["GRETE@example.com", "Copy <copy@example.com>", "COPY@example.com"];
  const transactionId = await send("logo", { payload: { attachments }, overrides: { providers, email: { cc } } });
  const got = server.received.at(-1)!;
  const [image] = got.attachments;
  assert.deepEqual(
    [image?.filename, image?.contentId, image?.disposition, image?.related],
    ["logo.png", "<logo>", "inline", true],
  );
  assert.match(got.html ?? "", /src="cid:logo"/);
  assert.ok(Buffer.from(image!.content as ArrayBuffer).equals(bytes));
  const value = (name: string) => got.headers.find(({ key }) => key === name)?.value;
  assert.deepEqual([value("importance"), value("x-a")], ["High", "b"]);
  assert.deepEqual(
    [got.to, got.cc].map((list) => list?.map(({ address }) => address)),
    [["grete@example.com"], ["copy@example.com"]],
  );
  const [notification] = await settled(client, transactionId);
  const told = notification!.jobs!.flatMap(({ executionDetails }) =>
    executionDetails.filter(({ status }) => status === "Warning").map(({ detail, raw }) => [detail, JSON.parse(raw!)]),
  );
  assert.deepEqual(told, [
    ["Override ignored", { override: "dsn", reason: "A mail sent by SMTP has no such member" }],
    [
      "Attachment not shown inline",
      { attachment: "lost.png", reason: "It is attached and not shown inline: it has no cid" },
    ],
  ]);
});

test("every line is one that mail servers take", () => {
  const lines = raw.split("\r\n");
  assert.ok(
    lines.every((line) => line.length <= 998),
    "RFC 5322: at most 998 characters",
  );
  assert.ok(!/[^\r]\n|\r[^\n]/.test(raw), "line ends are CRLF");
  assert.match(raw, /^[\t\r\n\x20-\x7e]*$/, "7 bits, for servers without 8BITMIME");
  const headers = raw.slice(0, raw.indexOf("\r\n\r\n"));
  for (const name of ["From", "To", "Subject", "Date", "Message-ID", "MIME-Version", "Reply-To"]) {
    assert.equal(headers.match(new RegExp(`^${name}: `, "gim"))?.length, 1, name);
  }
});

test("what a mail cannot carry is refused in words before it is sent", async () => {
  const before = server.received.length;
  const table: [object, RegExp][] = [
    [{ to: ["not an address"], replaceToRecipient: true }, /to\.0 must be an email address/],
    [{ headers: { "X-Token": `${longest}t` } }, /headers\.X-Token must not be longer than 989 characters/],
    [{ headers: { [`X-${"n".repeat(200)}`]: "x" } }, /is not a valid name/],
    [{ headers: { "X-Split": "a\r\nBcc: eve@example.com" } }, /headers\.X-Split must not contain line ends/],
  ];
  for (const [override, fault] of table) {
    const transactionId = await send("order", { payload: { subject: "x" }, overrides: { email: override } });
    const [message] = await messagesOf(client, transactionId);
    assert.equal(message?.status, "error");
    assert.match(message?.errorText ?? "", fault);
  }
  assert.equal(server.received.length, before);
});
