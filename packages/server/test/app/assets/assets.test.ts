// Images of emails: uploading, the public address, the list, deleting, and everything that is refused.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { imageFile, pngOf } from "@tidings/testkit/images";
import { assertRefused, faultsOf } from "@tidings/testkit/refusals";
import { shareService } from "@tidings/testkit/service";

const publicUrl = "https://notify.example.com";
const { client, production, url } = await shareService({
  TIDINGS_PUBLIC_URL: publicUrl,
  TIDINGS_ASSET_LIMIT: String(6 * 1024 * 1024),
});
const upload = async (bytes = pngOf(), fileName = "logo.png") =>
  client("assets.create", { body: { file: imageFile(bytes, fileName) } });
/** The same address at the service of this test. */
const load = (address: string, init: RequestInit = {}) => fetch(address.replace(publicUrl, url), init);

describe("upload", () => {
  test("201 with type and dimensions; everyone can load it, for ever", async () => {
    const bytes = pngOf(12, 34);
    const { status, body } = await upload(bytes, "logo.jpg");
    const { id, url: address, createdAt, ...rest } = body;
    assert.equal(status, 201);
    assert.deepEqual(rest, {
      contentType: "image/png",
      size: bytes.length,
      width: 12,
      height: 34,
      fileName: "logo.jpg",
    });
    assert.match(address, /^https:\/\/notify\.example\.com\/assets\/[\da-f-]{36}\/[\da-f]{64}\.png$/);
    const found = await load(address);
    assert.equal(found.status, 200);
    assert.deepEqual(Buffer.from(await found.arrayBuffer()), bytes);
    const header = (name: string) => found.headers.get(name);
    assert.equal(header("content-type"), "image/png");
    assert.equal(header("cache-control"), "public, max-age=31536000, immutable");
    assert.equal(header("x-content-type-options"), "nosniff");
    assert.equal(header("set-cookie"), null);
    const again = await load(address, { headers: { "if-none-match": header("etag")! } });
    assert.deepEqual([again.status, await again.text()], [304, ""]);
    const head = await load(address, { method: "HEAD" });
    assert.deepEqual([head.status, head.headers.get("content-length")], [200, String(bytes.length)]);
  });

  test("the same image is stored once, also by two at the same time", async () => {
    const bytes = pngOf();
    const both = await Promise.all([upload(bytes), upload(bytes)]);
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 201]);
    assert.equal(both[0].body.id, both[1].body.id);
    // Another environment has its own.
    const other = await production("assets.create", { body: { file: imageFile(bytes) } });
    assert.equal(other.status, 201);
    assert.notEqual(other.body.url, both[0].body.url);
  });

  test("a 12 MB image is refused, and the error names the limit", async () => {
    const file = imageFile(Buffer.concat([pngOf(), Buffer.alloc(12 * 1024 * 1024)]));
    const message = "The image has 12 MB; at most 5 MB are accepted. Make it smaller, or save it with more compression";
    await assertRefused(client, "assets.create", { body: { file } }, { code: "ASSET_TOO_LARGE", message });
  });

  test("an SVG is refused with the reason and the way out, whatever it is called", async () => {
    const svg = Buffer.from(
      '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
    );
    const { file } = await faultsOf(client, "assets.create", { body: { file: imageFile(svg, "logo.png") } });
    assert.match(file![0]!, /^file is an SVG: an SVG can contain scripts.*Export it as PNG/);
  });

  test("other files, no file, and a text instead of a file are refused", async () => {
    const refusal = async (file: unknown) => (await faultsOf(client, "assets.create", { body: { file } })).file;
    assert.match((await refusal(imageFile(Buffer.from("%PDF-1.4"))))![0]!, /^file must be a PNG, JPEG, GIF or WebP/);
    assert.match((await refusal(imageFile(pngOf().subarray(0, 20))))![0]!, /damaged/);
    assert.equal((await refusal("text"))?.length, 1);
    const none = await client.raw("assets.create", { body: { other: "x" } });
    assert.equal(none.status, 422);
    const json = await fetch(`${url}/v2/assets`, { method: "POST", body: "{}" });
    assert.equal(json.status, 401);
  });

  test("an environment has a limit for all its images together", async () => {
    const { size } = (await upload(pngOf(1_900, 1_900))).body;
    assert.ok(size > 3 * 1024 * 1024);
    const input = { body: { file: imageFile(pngOf(1_900, 1_900)) } };
    const { message } = await assertRefused(client, "assets.create", input, { code: "ASSET_LIMIT_REACHED" });
    assert.match(String(message), /^The images of this environment have 3\.\d MB, and the limit is 6 MB/);
    assert.equal((await upload()).status, 201);
  });
});

test("the list has pages, newest first, and no images of other environments", async () => {
  const { body: newest } = await upload();
  const first = (await client("assets.list", { query: { limit: 1 } })).body;
  assert.deepEqual([first.data[0]?.id, first.data.length], [newest.id, 1]);
  const second = (await client("assets.list", { query: { limit: 1, after: first.next! } })).body;
  assert.notEqual(second.data[0]!.id, newest.id);
  const other = (await production("assets.list", { query: { limit: 100 } })).body;
  assert.ok(other.data.every(({ id }) => id !== newest.id));
});

test("a deleted image is gone; only its own environment can delete it", async () => {
  const { id: assetId, url: address } = (await upload()).body;
  await assertRefused(production, "assets.delete", { params: { assetId } }, { code: "ASSET_NOT_FOUND" });
  await assertRefused(client, "assets.delete", { params: { assetId: "nothing" } }, { code: "ASSET_NOT_FOUND" });
  assert.equal((await load(address)).status, 200);
  assert.equal((await client("assets.delete", { params: { assetId } })).status, 204);
  assert.equal((await load(address)).status, 404);
});

test("no other address finds anything", async () => {
  const { url: address } = (await upload()).body;
  const { url: others } = (await production("assets.create", { body: { file: imageFile() } })).body;
  const [, environment = "", hash = ""] = /assets\/([\da-f-]+)\/([\da-f]+)/.exec(address) ?? [];
  const [, , otherHash = ""] = /assets\/([\da-f-]+)\/([\da-f]+)/.exec(others) ?? [];
  for (const path of [
    `${environment}/${hash}.gif`,
    `${environment}/${hash}`,
    `${environment}/${hash.toUpperCase()}.png`,
    `${environment}/${otherHash}.png`,
    `${environment}/..%2f${hash}.png`,
    `nothing/${hash}.png`,
    `${environment}/%00.png`,
  ]) {
    const { status, headers } = await fetch(`${url}/assets/${path}`);
    assert.deepEqual([status, headers.get("cache-control")], [404, "no-store"], path);
  }
});
