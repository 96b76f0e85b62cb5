// The examples of docs/inbox.md, run unchanged; the page /inbox; the files of the widget and their sizes.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Output, SubscriberNotification } from "@tidings/contract";
import { browserTest, openBrowser, openPage } from "@tidings/testkit/chromium";
import { errorOf, request } from "@tidings/testkit/http";
import { startPrefixProxy } from "@tidings/testkit/proxies/prefix-proxy";
import { startTestService } from "@tidings/testkit/service";
import { trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { build } from "esbuild";
import type { InboxNotification, Preference } from "../../../inbox/src/client/types.ts";
import { servePages } from "./host-page.ts";

const service = await startTestService();
const { client, url } = service;
const root = join(import.meta.dirname, "../../../..");
const docs = readFileSync(join(root, "docs/inbox.md"), "utf8");

/** The block of the guide in this language that contains the text, with the address of this service. */
function example(language: string, text: string): string {
  const blocks = [...docs.matchAll(/```(\w+)\n([\s\S]*?)```/g)].filter(
    ([, name, code]) => name === language && code!.includes(text),
  );
  assert.equal(blocks.length, 1, `one ${language} example with ${text}`);
  return blocks[0]![2]!.replaceAll("https://notify.example.com", url);
}

const welcome = (product: string) => trigger(client, "welcome", "ada", { product });
const pageOf = (body: string) =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Customer</title><link rel="icon" href="data:,"></head><body>${body}</body></html>`;

browserTest("example of the guide: a script tag in a page of another origin", async (context) => {
  const page = await openPage(context, await openBrowser(context));
  await page.goto(await servePages({ "/": pageOf(example("html", "<tidings-inbox")) }));
  await page.locator(".bell").click();
  await page.getByText("You're all caught up").waitFor();
  await welcome("a script tag");
  await page.locator(".item", { hasText: "a script tag" }).waitFor();
  await page.locator(".badge", { hasText: "1" }).waitFor();
});

browserTest("example of the guide: the client without the widget", async (context) => {
  const page = await openPage(context, await openBrowser(context));
  const loaded: string[] = [];
  page.on("request", (sent) => loaded.push(sent.url()));
  await page.goto(
    await servePages({ "/": pageOf(`<ul></ul><script type="module">${example("js", "createInbox")}</script>`) }),
  );
  await welcome("a module");
  await page.locator("li", { hasText: "Welcome, ada" }).first().waitFor();
  const count = await page.locator("li").count();
  await welcome("one more");
  await eventually(async () => (await page.locator("li").count()) > count, "a live message");
  assert.ok(!loaded.some((one) => /panel|define-element/.test(one)), "the user interface is not loaded");
});

browserTest("example of the guide: React", async (context) => {
  const { outputFiles } = await build({
    stdin: {
      contents: `${example("jsx", "<Inbox")}
import { createRoot } from "react-dom/client";
import { StrictMode } from "react";
createRoot(document.querySelector("#app")).render(<StrictMode><App /></StrictMode>);`,
      loader: "jsx",
      resolveDir: join(root, "packages/server/test"),
    },
    alias: { "@tidings/inbox/react": join(root, "packages/inbox/dist/react.js") },
    jsx: "automatic",
    bundle: true,
    format: "esm",
    outdir: "out",
    write: false,
    define: { "process.env.NODE_ENV": '"production"' },
    logLevel: "error",
  });
  const page = await openPage(context, await openBrowser(context));
  const markup = pageOf('<div id="app"></div><script type="module" src="/app.js"></script>');
  await page.goto(await servePages({ "/": markup, "/app.js": outputFiles[0]!.text }));
  const heading = page.locator("h1");
  await eventually(async () => /^[1-9]\d* unread$/.test((await heading.textContent()) ?? ""), "the count of the hook");
  const before = await heading.textContent();
  await welcome("React");
  await eventually(async () => (await heading.textContent()) !== before, "a live count");
  await page.locator("tidings-toast .toast", { hasText: "React" }).waitFor();
  await page.locator(".bell").click();
  await page.locator(".item", { hasText: "React" }).waitFor();
});

browserTest(
  "the page /inbox sends the example workflow to both inboxes, without a key in the page",
  async (context) => {
    const page = await openPage(context, await openBrowser(context));
    const answer = await page.goto(`${url}/inbox`);
    assert.match(
      answer!.headers()["content-security-policy"]!,
      /^default-src 'none'.*script-src 'self'; connect-src 'self'/,
    );
    const text = await answer!.text();
    assert.ok(!text.includes(service.apiKey) && !/<script(?![^>]*src=)/.test(text), "no key, no inline script");
    const items = page.locator("tidings-inbox[mode=inline] .item");
    await page.locator("tidings-inbox[mode=inline]").locator(".item, .empty").first().waitFor();
    const before = await items.count();
    await page.getByRole("button", { name: "Send a notification" }).click();
    await page.getByText("Sent.").waitFor();
    await eventually(async () => (await items.count()) === before + 1 || before >= 15, "the new message");
    await page.locator(".badge").waitFor();
  },
);

browserTest("below a path of a proxy, the widget and the page /inbox find the service there", async (context) => {
  const behind = await startPrefixProxy(service);
  const browser = await openBrowser(context);
  const page = await openPage(context, browser);
  const markup = `<script src="${behind}/inbox.js" async></script>
<tidings-inbox application-identifier="development" subscriber-id="ada"></tidings-inbox>`;
  await page.goto(await servePages({ "/": pageOf(markup) }));
  await page.locator(".bell").click();
  await welcome("a proxy");
  await page.locator(".item", { hasText: "a proxy" }).waitFor();

  for (const path of ["/inbox", "/inbox/"]) {
    const demo = await openPage(context, browser);
    await demo.goto(behind + path);
    await demo.getByRole("button", { name: "Send a notification" }).click();
    await demo.getByText("Sent.").waitFor();
    await demo.locator(".badge").waitFor();
    await demo.getByText(`<script src="${behind}/inbox.js" async>`).waitFor();
  }
});

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
