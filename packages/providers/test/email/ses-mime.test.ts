// Amazon SES puts the mail together itself. The fake does so by the letter of its documentation, defaults included, so
// that what a reader gets can be compared byte by byte: https://docs.aws.amazon.com/ses/latest/dg/attachments.html

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import PostalMime, { type Email } from "postal-mime";
import { type Io, send } from "../../src/index.ts";
import { openIo, rich, richEmail } from "../support.ts";

type File = {
  FileName: string;
  RawContent: string;
  ContentType?: string;
  ContentDisposition?: "ATTACHMENT" | "INLINE";
  ContentId?: string;
  ContentTransferEncoding?: "SEVEN_BIT" | "BASE64" | "QUOTED_PRINTABLE";
};

const encodings = { SEVEN_BIT: "7bit", BASE64: "base64", QUOTED_PRINTABLE: "quoted-printable" };

function bodyOf({ RawContent, ContentTransferEncoding = "SEVEN_BIT" }: File): Buffer {
  const bytes = Buffer.from(RawContent, "base64");
  if (ContentTransferEncoding === "SEVEN_BIT") return Buffer.from(bytes.map((byte) => byte & 0x7f));
  assert.equal(ContentTransferEncoding, "BASE64", "the fake writes two encodings");
  return Buffer.from(bytes.toString("base64").replace(/.{76}/g, "$&\r\n"));
}

function partOf(file: File): Buffer {
  const { FileName, ContentType = "application/octet-stream", ContentDisposition = "ATTACHMENT", ContentId } = file;
  const name = `filename*=UTF-8''${encodeURIComponent(FileName)}`;
  const head = [
    `Content-Type: ${ContentType}`,
    `Content-Disposition: ${ContentDisposition.toLowerCase()}; ${name}`,
    `Content-Transfer-Encoding: ${encodings[file.ContentTransferEncoding ?? "SEVEN_BIT"]}`,
    ...(ContentId ? [`Content-ID: <${ContentId}>`] : []),
  ];
  return Buffer.concat([Buffer.from(`--b\r\n${head.join("\r\n")}\r\n\r\n`), bodyOf(file), Buffer.from("\r\n")]);
}

/** What arrives of a call of SendEmail with simple content. */
function assemble(body: string): Promise<Email> {
  const { Subject, Body, Attachments = [], Headers = [] } = JSON.parse(body).Content.Simple;
  const html = Buffer.from(Body.Html.Data).toString("base64");
  const head = [
    ...Headers.map(({ Name, Value }: { Name: string; Value: string }) => `${Name}: ${Value}`),
    `Subject: =?UTF-8?B?${Buffer.from(Subject.Data).toString("base64")}?=`,
    "MIME-Version: 1.0",
    'Content-Type: multipart/related; boundary="b"',
    "",
    "--b\r\nContent-Type: text/html; charset=UTF-8\r\nContent-Transfer-Encoding: base64\r\n",
    `${html}\r\n`,
  ];
  const parts = (Attachments as File[]).map(partOf);
  return PostalMime.parse(Buffer.concat([Buffer.from(head.join("\r\n")), ...parts, Buffer.from("--b--\r\n")]));
}

const credentials = {
  ...{ apiKey: "AKIAIOSFODNN7EXAMPLE", secretKey: "aws-s3cret-access-key", region: "eu-west-1" },
  ...{ from: "noreply@example.com", senderName: "Example" },
};

describe("a mail that Amazon SES puts together", () => {
  it("has every byte of its attachments, and shows the image that its html names", async (t) => {
    const bodies: string[] = [];
    const http: Io["http"] = async ({ body }) => {
      bodies.push(String(body));
      return { status: 200, headers: {}, text: '{"MessageId":"1"}', json: { MessageId: "1" } };
    };
    const outcome = await send("ses", richEmail(), credentials, { ...openIo(t), http });
    assert.deepEqual(outcome, { kind: "accepted", providerMessageId: "1" });
    const { attachments, html, subject } = await assemble(bodies[0] ?? "");
    const files = attachments.map(({ filename, mimeType, disposition, contentId, content }) => ({
      ...{ filename, mimeType, disposition, contentId },
      content: Buffer.from(content as ArrayBuffer).toString("hex"),
    }));
    assert.deepEqual(files, [
      {
        ...{ filename: "Überblick.pdf", mimeType: "application/pdf", disposition: "attachment", contentId: undefined },
        content: Buffer.from(rich.pdf).toString("hex"),
      },
      {
        ...{ filename: "logo.png", mimeType: "image/png", disposition: "inline", contentId: "<logo@example.com>" },
        content: rich.png.toString("hex"),
      },
    ]);
    assert.match(html ?? "", /cid:logo@example\.com/);
    assert.equal(subject, "Grüße 🎉");
  });
});
