// The examples of docs/inbox.md, run unchanged; the widget and the page /inbox below a path of a proxy.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { browserTest, openBrowser, openPage } from "@tidings/testkit/chromium";
import { startPrefixProxy } from "@tidings/testkit/proxies/prefix-proxy";
import { startTestService } from "@tidings/testkit/service";
import { trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { build } from "esbuild";
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
