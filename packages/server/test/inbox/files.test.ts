// The page /inbox, and the files of the widget: who may use them, how they are cached, and their sizes.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Output, SubscriberNotification } from "@tidings/contract";
import { errorOf, request } from "@tidings/testkit/http";
import { startTestService } from "@tidings/testkit/service";
import type { InboxNotification, Preference } from "../../../inbox/src/client/types.ts";

const service = await startTestService();
const { url } = service;
const root = join(import.meta.dirname, "../../../..");

test("the button of /inbox works for that page only, at a limited rate", async () => {
  const press = (headers: Record<string, string>) => request(service, "/inbox/welcome", { method: "POST", headers });
  for (const headers of [
    {},
    { origin: "https://evil.example" },
    { origin: "null" },
    { "sec-fetch-site": "cross-site" },
  ]) {
    const reply = await press(headers as Record<string, string>);
    assert.equal(reply.status, 403, JSON.stringify(headers));
    errorOf(reply, "ORIGIN_NOT_ALLOWED");
  }
  assert.equal((await press({ origin: url })).status, 201);
});

test("the files of the widget are public, cached by their names, and small", async () => {
  const script = await request(service, "/inbox.js");
  assert.equal(script.status, 200);
  assert.equal(script.headers.get("access-control-allow-origin"), "*");
  assert.equal(script.headers.get("cache-control"), "public, max-age=300, must-revalidate");
  assert.match(script.headers.get("content-type")!, /^text\/javascript/);
  const module = await request(service, "/inbox/index.js");
  const chunk = /"\.\/(chunk-[A-Z0-9]{8}\.js)"/.exec(module.text)![1]!;
  const cached = (await request(service, `/inbox/${chunk}`)).headers.get("cache-control");
  assert.equal(cached, "public, max-age=31536000, immutable");
  assert.equal(script.headers.get("sourcemap"), "inbox.js.map");
  assert.equal((await request(service, "/inbox.js.map")).status, 200);
  for (const name of ["nothing.js", "files.json", "..%2fpackage.json", "%2e%2e%2fpackage.json"]) {
    assert.equal((await request(service, `/inbox/${name}`)).status, 404, name);
  }

  const list = JSON.parse(readFileSync(join(root, "packages/inbox/dist/files.json"), "utf8")) as Record<
    string,
    { gzip: number; brotli: number; imports: string[] }
  >;
  const sizeOf = (name: string, form: "gzip" | "brotli" = "gzip", seen = new Set<string>()): number => {
    if (seen.has(name)) return 0;
    seen.add(name);
    return list[name]![form] + list[name]!.imports.reduce((sum, one) => sum + sizeOf(one, form, seen), 0);
  };
  assert.ok(sizeOf("inbox.js") <= 11_700, `inbox.js has ${sizeOf("inbox.js")} bytes`);
  assert.ok(sizeOf("inbox.js", "brotli") <= 10_500, `inbox.js has ${sizeOf("inbox.js", "brotli")} bytes with brotli`);
  assert.ok(sizeOf("panel.js") <= 20_000, `panel.js has ${sizeOf("panel.js")} bytes`);
  // What is loaded only where it is asked for.
  const later = { "later.js": 6_500, "toast.js": 7_000, "extras.js": 2_000, "worker.js": 1_000 };
  for (const [name, bytes] of Object.entries(later)) assert.ok(sizeOf(name) <= bytes, `${name}: ${sizeOf(name)} bytes`);
  const words = Object.keys(list).filter((name) => /^[a-z]{2}(-[a-z]{2})?-[A-Z0-9]{8}\.js$/.test(name));
  assert.equal(words.length, 25);
  for (const name of words) assert.ok(sizeOf(name) <= 2_500, `${name}: ${sizeOf(name)} bytes`);
  assert.ok(sizeOf("index.js") <= 9_000, `index.js has ${sizeOf("index.js")} bytes`);
  assert.ok(sizeOf("react.js") <= 10_000, `react.js has ${sizeOf("react.js")} bytes`);
});

test("the types of the client are those of the API", () => {
  // Checked by the compiler: a response of the API is what the client takes.
  const toNotification = (value: SubscriberNotification): InboxNotification => value;
  const toPreferences = (value: Output<"inbox.listPreferences">): Preference[] => value.data;
  assert.equal(typeof toNotification, typeof toPreferences);
});
