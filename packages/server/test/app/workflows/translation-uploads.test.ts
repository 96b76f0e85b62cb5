// Uploading texts: the two routes that take multipart/form-data.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { UploadedFile } from "@tidings/contract";
import { assertRefused } from "@tidings/testkit/refusals";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, inApp } from "@tidings/testkit/verbs";

const service = await startTestService({ TIDINGS_BODY_LIMIT: "200000" });
const { client, production } = service;

await createWorkflow(client, "order", [inApp()]);
await client("layouts.create", { body: { layoutId: "house", name: "House" } });

const file = (fileName: string, content: unknown): UploadedFile => ({
  fileName,
  contentType: "application/json",
  bytes: Buffer.from(typeof content === "string" ? content : JSON.stringify(content)).toString("latin1"),
});
const upload = (files: UploadedFile[], more: object = {}, headers = {}) =>
  client("translations.upload", {
    body: { resourceId: "order", resourceType: "workflow", files, ...more } as never,
    headers,
  });
const textsOf = async (locale: string) => {
  const params = { resourceType: "workflow", resourceId: "order", locale } as const;
  return (await client("translations.retrieve", { params })).body.content;
};
/** A request that no client of ours would send. */
const send = (path: string, contentType: string, body: string | Buffer) =>
  fetch(`${service.url}/v2/translations/${path}`, {
    method: "POST",
    headers: { authorization: `ApiKey ${service.apiKey}`, "content-type": contentType },
    body,
  });

describe("upload", () => {
  test("a file per locale; bad ones are named and do not stop the others", async () => {
    const { status, body } = await upload([
      file("de_DE.json", { hi: "Grüße 👋" }),
      file("fr-fr.JSON", { hi: "Salut" }),
      file("notes.txt", "{}"),
      file("english please.json", "{}"),
      file("it.json", "{"),
      file("nl.json", "[1]"),
      { ...file("sv.json", ""), bytes: '{"a":"\xff"}' },
      file("fi.json", '{"a":"\\u0000"}'),
      file("pl.json", `${"[".repeat(50_000)}`),
      file("cs.json", `{"a":${"[".repeat(5_000)}${"]".repeat(5_000)}}`),
    ]);
    assert.equal(status, 200);
    assert.deepEqual(body, {
      totalFiles: 10,
      successfulUploads: 2,
      failedUploads: 8,
      errors: [
        "notes.txt must be named <locale>.json",
        "english please.json must be named <locale>.json",
        "it.json is not valid JSON in UTF-8",
        "nl.json must hold a JSON object",
        "sv.json is not valid JSON in UTF-8",
        "fi.json must not contain U+0000 or half a surrogate pair",
        "pl.json is not valid JSON in UTF-8",
        "cs.json must not be nested deeper than 20 levels",
      ],
    });
    assert.deepEqual(await textsOf("de_DE"), { hi: "Grüße 👋" });
    assert.deepEqual(await textsOf("fr_FR"), { hi: "Salut" });
  });

  test("of the same locale twice the last wins; layouts too; a byte order mark is no part of JSON", async () => {
    const { body } = await upload([file("da.json", { n: 1 }), file("DA.json", '\ufeff{"n":2}')]);
    assert.deepEqual([body.successfulUploads, body.errors], [2, []]);
    assert.deepEqual(await textsOf("da"), { n: 2 });
    const own = await upload([file("da.json", { n: 3 })], { resourceId: "house", resourceType: "layout" });
    assert.equal(own.body.successfulUploads, 1);
    assert.deepEqual(await textsOf("da"), { n: 2 });
  });

  test("a repetition under an idempotency key is recognised by its content, not by its boundary", async () => {
    const headers = { "idempotency-key": "upload-1" };
    const first = await upload([file("no.json", { a: 1 })], {}, headers);
    const second = await upload([file("no.json", { a: 1 })], {}, headers);
    assert.equal(second.headers.get("idempotency-replay"), "true");
    assert.deepEqual(second.body, first.body);
    const body = { resourceId: "order", resourceType: "workflow", files: [file("no.json", { a: 2 })] };
    await assertRefused(client, "translations.upload", { body, headers }, { code: "IDEMPOTENCY_KEY_REUSED" });
  });

  test("422 for what is missing or of the wrong kind, 404 for what does not exist", async () => {
    await assertRefused(
      client,
      "translations.upload",
      { body: { resourceType: "message", files: "text" } },
      {
        code: "VALIDATION_ERROR",
        errors: {
          resourceId: ["resourceId is required"],
          resourceType: ["resourceType must be one of: workflow, layout"],
          "files.0": ["files.0 must be a file"],
        },
      },
    );
    const wrong = { resourceId: file("a.json", {}), resourceType: "workflow" };
    await assertRefused(
      client,
      "translations.upload",
      { body: wrong },
      {
        code: "VALIDATION_ERROR",
        errors: { resourceId: ["resourceId must be a string"], files: ["files is required"] },
      },
    );
    const twice = { resourceId: ["order", "order"], resourceType: "workflow", files: [file("a.json", {})] };
    await assertRefused(
      client,
      "translations.upload",
      { body: twice },
      {
        code: "VALIDATION_ERROR",
        errors: { resourceId: ["resourceId must be a string"] },
      },
    );
    const many = { resourceId: "order", resourceType: "workflow", files: Array(101).fill(file("a.json", {})) };
    await assertRefused(
      client,
      "translations.upload",
      { body: many },
      {
        code: "VALIDATION_ERROR",
        errors: { files: ["files must contain no more than 100 elements"] },
      },
    );
    const unstorable = { resourceId: "a\0b", resourceType: "workflow", files: [file("a.json", {})] };
    await assertRefused(client, "translations.upload", { body: unstorable }, { code: "VALIDATION_ERROR" });
    const body = { resourceId: "order", resourceType: "workflow", files: [file("de.json", {})] };
    await assertRefused(production, "translations.upload", { body }, { code: "WORKFLOW_NOT_FOUND" });
    await assertRefused(
      client,
      "translations.upload",
      { body: { ...body, resourceType: "layout" } },
      {
        code: "LAYOUT_NOT_FOUND",
      },
    );
  });

  test("only forms are read, and only on these routes", async () => {
    const json = await send("upload", "application/json", "{}");
    assert.equal(json.status, 415);
    const { code, message } = (await json.json()) as { code: string; message: string };
    assert.deepEqual([code, message], ["MULTIPART_REQUIRED", "Content-Type must be multipart/form-data"]);
    const elsewhere = await send("master-json", "multipart/form-data; boundary=b", "--b--");
    assert.equal(elsewhere.status, 415);
    assert.equal(((await elsewhere.json()) as { code: string }).code, "UNSUPPORTED_MEDIA_TYPE");

    const broken = await send("upload", "multipart/form-data; boundary=b", "--b\r\n");
    const body = (await broken.json()) as { code: string; type: string; message: string };
    assert.equal(broken.status, 400);
    assert.deepEqual([body.code, body.type], ["MALFORMED_FORM", "MALFORMED_FORM"]);
    assert.match(body.message, /^Request body is not valid multipart\/form-data: the headers of a part/);
    const field = `--b\r\nContent-Disposition: form-data; name="resourceId"\r\n\r\n${"x".repeat(70_000)}\r\n--b--`;
    const long = (await (await send("upload", "multipart/form-data; boundary=b", field)).json()) as { message: string };
    assert.match(long.message, /field resourceId is longer than 65536 bytes/);
    const large = await send("upload", "multipart/form-data; boundary=b", Buffer.alloc(300_000));
    assert.equal(large.status, 413);
    const nothing = await send("upload", "multipart/form-data; boundary=b", "--b--");
    assert.equal(nothing.status, 422);
  });
});

describe("upload of a master file", () => {
  test("stores what exists and names what does not", async () => {
    const master = { workflows: { order: { m: "1" }, nope: {} }, layouts: { house: { m: "2" } } };
    const { status, body } = await client("translations.uploadMaster", { body: { file: file("es_ES.json", master) } });
    assert.equal(status, 200);
    assert.deepEqual(body, {
      success: true,
      message: "2 of 3 resources imported for es_ES",
      successful: ["order", "house"],
      failed: ["nope"],
    });
    assert.deepEqual(await textsOf("es_ES"), { m: "1" });
    const empty = await client("translations.uploadMaster", { body: { file: file("es_ES.json", {}) } });
    assert.deepEqual(empty.body.success, false);
  });

  test("422 for a file that is not a master file", async () => {
    const refused = (given: unknown, message: string) =>
      assertRefused(
        client,
        "translations.uploadMaster",
        { body: { file: given } },
        {
          code: "VALIDATION_ERROR",
          errors: { file: [message] },
        },
      );
    await refused(file("master.txt", {}), "file must be named <locale>.json");
    await refused(file("de.json", "no"), "file is not valid JSON in UTF-8");
    await refused(file("de.json", "1"), "file must hold a JSON object");
    await refused(file("de.json", { workflows: [] }), "file workflows must be an object");
    await refused("text", "file must be a file");
    await assertRefused(
      client,
      "translations.uploadMaster",
      { body: {} },
      {
        code: "VALIDATION_ERROR",
        errors: { file: ["file is required"] },
      },
    );
  });
});
