// What composeShort makes is what nodemailer makes of the same mail. Only the place where a long line is broken may
// differ: nodemailer's stream does not see the end of the text while it breaks the line before.
import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "@tidings/testkit/properties";
import type { SendMailOptions } from "nodemailer";
import MailComposer from "nodemailer/lib/mail-composer";
import { composeShort } from "../../src/io/smtp-compose.ts";

function mail(more: SendMailOptions): SendMailOptions {
  return {
    messageId: "<1@example.com>",
    from: { name: "Orders", address: "orders@example.com" },
    to: [{ name: "", address: "ada@example.com" }],
    subject: "Shipped",
    ...more,
  };
}

async function assertSame(options: SendMailOptions): Promise<void> {
  const node = new MailComposer(options).compile();
  const [ours, theirs] = [composeShort(node)?.toString("latin1") ?? "", (await node.build()).toString("latin1")];
  const softBreak = "=\r\n";
  assert.equal(ours.replaceAll(softBreak, ""), theirs.replaceAll(softBreak, ""));
  const longest = (mail: string) => Math.max(...mail.split(/\r\n?|\n/).map((line) => line.length));
  assert.ok(longest(ours) <= Math.max(76, longest(theirs)));
}

// Pieces that decide encodings and line breaks: every kind of line end, spaces before it, dots, long words, wide
// letters.
// biome-ignore format: a list of samples
const piece = fc.constantFrom(
  "a", "word ", " ", "\t", "\n", "\r\n", "\r", ".", "=", "=3D", "é", "日本語", "🎉", "x".repeat(75), "y".repeat(77), "<p>", "--", "",
);
const text = fc.oneof(
  fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join("")),
  fc.string({ unit: "binary", maxLength: 300 }).map((value) => value.toWellFormed()),
);

it("gives the mail that nodemailer gives, for any subject, name and text", async () => {
  const mails = fc.record(
    { subject: text, html: text, text, name: text, header: text },
    { requiredKeys: ["subject", "name", "header"] },
  );
  await fc.assert(
    fc.asyncProperty(mails, ({ name, header, ...parts }) =>
      assertSame(mail({ ...parts, from: { name, address: "orders@example.com" }, headers: { "X-Note": header } })),
    ),
    { numRuns: 400 },
  );
});

it("leaves attachments and long texts to nodemailer", () => {
  const attached = mail({ text: "see below", attachments: [{ filename: "a.txt", content: Buffer.from("a") }] });
  assert.equal(composeShort(new MailComposer(attached).compile()), undefined);
  assert.equal(composeShort(new MailComposer(mail({ html: "long ".repeat(20_000) })).compile()), undefined);
});
