// A page of a customer with the widget in it, in a real Chromium.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import { atEnd } from "@tidings/testkit/at-end";
import { openBrowser, openPage } from "@tidings/testkit/chromium";
import { request } from "@tidings/testkit/http";
import type { TestService } from "@tidings/testkit/service";
import type { BrowserContext, BrowserContextOptions, Page } from "playwright-core";

type HostOptions = {
  /** Attributes of the element. */
  attributes?: string;
  /** What is in the element. */
  content?: string;
  /** Elements for <head>. */
  head?: string;
  /** Attributes of the root element. */
  root?: string;
  /** Opens the panel. Not wanted for inline lists. */
  isOpened?: boolean;
  browser?: BrowserContext;
  settings?: BrowserContextOptions;
  /** Errors of the page do not fail the test: it breaks the connection. */
  hasErrors?: boolean;
};

const hostMarkup = ({ attributes = "", content = "", head = "", root = 'lang="en"' }: HostOptions): string =>
  `<!doctype html><html ${root}><head><meta charset="utf-8"><title>Customer</title>
<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><link rel="icon" href="data:,">${head}</head>
<body><main><h1>Customer</h1><tidings-inbox application-identifier="development" ${attributes}>${content}</tidings-inbox></main>
<script src="/inbox.js"></script></body></html>`;

/** Opens `html` as a page of the given origin. */
async function openHtml(page: Page, origin: string, html: string): Promise<void> {
  await page.route(`${origin}/host`, (route) => route.fulfill({ contentType: "text/html; charset=utf-8", body: html }));
  await page.goto(`${origin}/host`);
}

/** A page with the widget of a subscriber. */
export async function openHost(
  context: TestContext,
  { url }: TestService,
  subscriberId: string,
  options: HostOptions = {},
): Promise<Page> {
  const browser = options.browser ?? (await openBrowser(context, { locale: "en-GB", ...options.settings }));
  const page = options.hasErrors ? await browser.newPage() : await openPage(context, browser);
  page.setDefaultTimeout(20_000);
  const attributes = `subscriber-id="${subscriberId}" ${options.attributes ?? ""}`;
  await openHtml(page, url, hostMarkup({ ...options, attributes }));
  if (options.isOpened ?? true) await page.locator(".bell").click();
  return page;
}

/** Streams that the service has open. */
export async function countStreams(service: TestService): Promise<number> {
  const { text } = await request(service, "/metrics");
  return Number(/^tidings_live_connections\{door="sse"\} (\d+)/m.exec(text)?.[1] ?? 0);
}

/** The web server of a customer, with its own origin; returns its address. */
export async function servePages(pages: Record<string, string>): Promise<string> {
  const server = createServer((asked, answer) => {
    const page = pages[asked.url ?? ""];
    const type = asked.url?.endsWith(".js") ? "text/javascript" : "text/html";
    answer.writeHead(page === undefined ? 404 : 200, { "content-type": `${type}; charset=utf-8` }).end(page);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  atEnd(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}
