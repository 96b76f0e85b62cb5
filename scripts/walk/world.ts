// What a walk needs: the service in its own process, so that it can be frozen and killed, a mail server that can go
// away, a browser, and a notebook for what was seen.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { firstStartFile } from "@tidings/server/source/first-start";
import { startEmbedded } from "@tidings/server/source/store/embedded/embedded";
import { type Client, createClient } from "@tidings/testkit/client";
import { type AbsentMail, createAbsentMail } from "@tidings/testkit/mail/absent";
import { findPort } from "@tidings/testkit/programs/ports";
import { bareEnvironment, isReady, isRunning } from "@tidings/testkit/programs/program";
import { eventually } from "@tidings/testkit/wait";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { type Browser as Person, signInOwner } from "../../packages/server/test/app/members/browsers.ts";

export { eventually };

const program = fileURLToPath(new URL("../../packages/server/dist/start.js", import.meta.url));
const pictures = fileURLToPath(new URL("../../screenshots/walk", import.meta.url));
/** Before a request to a service that starts is repeated. */
const askMs = 5_000;
const wide = { width: 1280, height: 860 };

export type World = {
  url: string;
  /** Development, by its API key. */
  client: Client;
  owner: Person;
  production: string;
  mail: AbsentMail;
  service: { signal(signal: NodeJS.Signals): void; restart(): Promise<void> };
  /** A page of a browser in which nobody is signed in. */
  openPage(options?: BrowserContextOptions): Promise<Page>;
  /** A signed-in page of the dashboard. */
  openDashboard(path: string, options?: BrowserContextOptions): Promise<Page>;
  /** A page of a customer with the widget. */
  openInbox(subscriberId: string, attributes?: string, options?: BrowserContextOptions): Promise<Page>;
  picture(page: Page, name: string): Promise<void>;
  /** Notes what was seen; `isRight` false makes the walk fail. */
  check(name: string, isRight: boolean, seen?: unknown): void;
  figure(name: string, value: string | number): void;
  end(): Promise<boolean>;
};

export async function openWorld(): Promise<World> {
  mkdirSync(pictures, { recursive: true });
  const folder = mkdtempSync(join(tmpdir(), "tidings-walk-"));
  const mail = createAbsentMail(await findPort());
  const url = `http://127.0.0.1:${await findPort()}`;
  const notes: { name: string; isRight: boolean; seen: string }[] = [];
  const log = openSync(join(pictures, "service.log"), "w");
  let child = await start();

  async function start(): Promise<ChildProcess> {
    const env = {
      ...bareEnvironment(),
      TIDINGS_HOST: "127.0.0.1",
      TIDINGS_PORT: new URL(url).port,
      TIDINGS_PUBLIC_URL: url,
      TIDINGS_DATA_DIR: folder,
      TIDINGS_ALLOW_NETWORKS: "127.0.0.0/8",
      TIDINGS_RATE_INBOX: "0",
    };
    const started = spawn(process.execPath, [program], { env, stdio: ["ignore", "ignore", log] });
    await eventually(() => isReady(url, askMs).catch(() => false), "the service to be ready", 60_000);
    return started;
  }

  const secrets = readFileSync(join(folder, firstStartFile), "utf8");
  const apiKey = /API key\s+(\S+)/.exec(secrets)![1]!;
  const owner = await signInOwner({ url, firstLink: /Sign in\s+(\S+)/.exec(secrets)![1]! });
  const production = owner.session.environments.find(({ name }) => name === "Production")!._id;
  const executablePath = process.env.TIDINGS_CHROMIUM ?? "/usr/bin/chromium";
  const browser: Browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });

  async function openPage(options: BrowserContextOptions = {}): Promise<Page> {
    const page = await (await browser.newContext({ viewport: wide, ...options })).newPage();
    page.setDefaultTimeout(20_000);
    return page;
  }

  async function openDashboard(path: string, options: BrowserContextOptions = {}): Promise<Page> {
    const context = await browser.newContext({ viewport: wide, ...options });
    const [name, value] = owner.cookie.split("=") as [string, string];
    await context.addCookies([{ name, value, url }]);
    const page = await context.newPage();
    page.setDefaultTimeout(20_000);
    await page.goto(url + path);
    await page.getByRole("heading", { level: 1 }).first().waitFor();
    return page;
  }

  async function openInbox(subscriberId: string, attributes = "", options: BrowserContextOptions = {}): Promise<Page> {
    const context = await browser.newContext({ viewport: wide, locale: "en-GB", ...options });
    const page = await context.newPage();
    const html = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Customer</title>
<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
<style>body { margin: 0; font-family: system-ui; } nav { display: flex; justify-content: flex-end; padding: 12px 20px; }</style>
<nav><tidings-inbox application-identifier="development" subscriber-id="${subscriberId}" ${attributes}></tidings-inbox></nav>
<script src="/inbox.js"></script></html>`;
    await page.route(`${url}/host`, (route) => route.fulfill({ contentType: "text/html", body: html }));
    await page.goto(`${url}/host`);
    await page.locator(".bell").click();
    return page;
  }

  return {
    url,
    client: createClient({ baseUrl: url, apiKey }),
    owner,
    production,
    mail,
    service: {
      signal: (signal) => void child.kill(signal),
      async restart() {
        if (isRunning(child)) {
          child.kill("SIGKILL");
          await once(child, "exit");
        }
        child = await start();
      },
    },
    openPage,
    openDashboard,
    openInbox,
    async picture(page, name) {
      await page.screenshot({ path: join(pictures, `${name}.png`) });
    },
    check(name, isRight, seen = "") {
      const text = typeof seen === "string" ? seen : JSON.stringify(seen);
      notes.push({ name, isRight, seen: text });
      console.log(`${isRight ? "ok  " : "FAIL"} ${name}${text ? `: ${text.slice(0, 300)}` : ""}`);
    },
    figure: (name, value) => console.log(`     ${name}: ${value}`),
    async end() {
      await browser.close();
      await mail.stop();
      child.kill("SIGCONT");
      child.kill("SIGTERM");
      if (isRunning(child)) await once(child, "exit");
      if (existsSync(join(folder, "postgres.json"))) await (await startEmbedded({ dataDir: folder })).stop();
      rmSync(folder, { recursive: true, force: true });
      const wrong = notes.filter(({ isRight }) => !isRight);
      console.log(`\n${notes.length - wrong.length} of ${notes.length} checks passed. Pictures: screenshots/walk`);
      return wrong.length === 0;
    },
  };
}
