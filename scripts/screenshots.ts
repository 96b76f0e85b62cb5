// `node scripts/screenshots.ts`: pictures of the inbox widget and of the page /inbox, into the git-ignored folder
// /screenshots. It starts its own service with a throw-away database. Needs Chromium (see
// packages/testkit/src/chromium.ts).
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startService } from "@tidings/server";
import { readConfig } from "@tidings/server/source/config";
import { createLogger } from "@tidings/server/source/log";
import { createClient } from "@tidings/testkit/client";
import { type BrowserContextOptions, chromium, type Page } from "playwright-core";

const folder = join(import.meta.dirname, "../screenshots");
mkdirSync(folder, { recursive: true });
const data = mkdtempSync(join(tmpdir(), "tidings-screenshots-"));
const config = readConfig({ TIDINGS_DATA_DIR: data, TIDINGS_HOST: "127.0.0.1", TIDINGS_PORT: "0" });
const service = await startService(config, createLogger(config, process.stderr));
const { url } = service;
const client = createClient({ baseUrl: url, apiKey: service.developmentKey! });
const executablePath = process.env.TIDINGS_CHROMIUM ?? "/usr/bin/chromium";
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });

const inApp = (controlValues: Record<string, unknown>) => ({ name: "In-app", type: "in_app" as const, controlValues });
const email = { name: "Email", type: "email" as const, controlValues: { subject: "Hi", body: "<p>Hello</p>" } };

async function addWorkflow(workflowId: string, name: string, values: Record<string, unknown>, settings: object = {}) {
  const body = { workflowId, name, steps: [inApp(values), email], active: true, ...settings };
  await client("workflows.create", { body: body as never });
}

await addWorkflow(
  "comment",
  "Comments",
  {
    subject: "{{ payload.who }} commented on “{{ payload.what }}”",
    body: "{{ payload.text }}",
    redirect: { url: "/somewhere" },
  },
  { tags: ["team"] },
);
await addWorkflow(
  "invite",
  "Invitations",
  {
    subject: "{{ payload.who }} invited you to {{ payload.what }}",
    body: "You can look around for 14 days before you decide.",
    primaryAction: { label: "Accept", redirect: { url: "/accept" } },
    secondaryAction: { label: "Decline" },
  },
  { tags: ["team"] },
);
await addWorkflow(
  "outage",
  "Incidents",
  {
    subject: "Payments fail in <b>eu-central</b>",
    body: "<b>12 %</b> of charges were declined in the last 5 minutes. <a href='https://status.example.com'>Status page</a>",
  },
  { severity: "high", tags: ["system"] },
);
await addWorkflow(
  "export",
  "Exports",
  { subject: "Your export is ready", body: "4,210 rows, 1.2 MB. The link works for 7 days." },
  { tags: ["system"] },
);

const send = (name: string, to: string, payload: object) =>
  client("events.trigger", { body: { name, to, payload } as never });

for (const to of ["ada", "noor"]) {
  await send("export", to, {});
  await send("comment", to, {
    who: "Grace Hopper",
    what: "Q3 roadmap",
    text: "Could we move the compiler milestone two weeks ahead? The port is further along than I thought, and the team has time in May.",
  });
  await send("invite", to, { who: "Katherine Johnson", what: "Orbital" });
  await send("comment", to, { who: "Alan Turing", what: "Halting study", text: "I am not sure this ever ends." });
  await send("outage", to, {});
}

const markup = (
  attributes: string,
  dir = "ltr",
  lang = "en",
): string => `<!doctype html><html lang="${lang}" dir="${dir}">
<meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
<style>body { margin: 0; font-family: system-ui; } nav { display: flex; justify-content: flex-end; padding: 12px 20px; border-bottom: 1px solid light-dark(#e7e9ec, #2d343a); }</style>
<nav><tidings-inbox application-identifier="development" ${attributes}></tidings-inbox></nav>
<script src="${url}/inbox.js"></script></html>`;

const tabs = `tabs='[{"label":"All"},{"label":"Team","tags":["team"]},{"label":"System","tags":["system"]}]'`;

async function picture(
  name: string,
  html: string,
  options: BrowserContextOptions,
  act: (page: Page) => Promise<void> = async () => {},
) {
  const context = await browser.newContext({ viewport: { width: 760, height: 700 }, deviceScaleFactor: 2, ...options });
  const page = await context.newPage();
  await page.route(`${url}/host`, (route) => route.fulfill({ contentType: "text/html", body: html }));
  await page.goto(`${url}/host`);
  await page.locator(".bell").click();
  await page.locator(".item, .empty").first().waitFor();
  await act(page);
  await page.waitForTimeout(400);
  await page.screenshot({ path: join(folder, `${name}.png`) });
  await context.close();
}

const ada = `subscriber-id="ada" ${tabs}`;
const openPreferences = async (page: Page) => {
  await page.getByRole("button", { name: "Preferences" }).click();
  await page.locator(".preferences").waitFor();
};
await picture("widget-light", markup(ada), { colorScheme: "light" }, (page) => page.locator(".item").nth(1).hover());
await picture("widget-dark", markup(ada), { colorScheme: "dark" });
await picture("widget-narrow", markup(ada), { viewport: { width: 375, height: 720 }, hasTouch: true, isMobile: true });
await picture("widget-rtl", markup(`subscriber-id="noor" ${tabs}`, "rtl", "ar"), { locale: "ar" });
await picture("widget-empty", markup(`subscriber-id="quiet"`), {});
await picture("widget-error", markup(`subscriber-id="ada" subscriber-hash="wrong"`), {});
await picture("widget-snooze", markup(ada), {}, async (page) => {
  await page.locator(".item").nth(1).hover();
  await page.locator(".item").nth(1).getByRole("button", { name: "Snooze" }).click();
});
await picture("widget-undo", markup(ada), {}, async (page) => {
  await page.locator(".main").nth(3).focus();
  await page.keyboard.press("e");
});
await picture("widget-preferences", markup(ada), {}, async (page) => {
  await openPreferences(page);
  await page.getByText("Comments").click();
});
await picture("widget-schedule-dark", markup(ada), { colorScheme: "dark" }, async (page) => {
  await openPreferences(page);
  await page.getByRole("switch", { name: "Deliver only in set hours" }).click();
  await page.locator(".day").last().scrollIntoViewIfNeeded();
});
for (const [name, width, scheme] of [
  ["page", 1180, "light"],
  ["page-dark", 1180, "dark"],
  ["page-narrow", 375, "light"],
] as const) {
  const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme: scheme, deviceScaleFactor: 2 });
  await page.goto(`${url}/inbox`);
  await page.locator(".item").first().waitFor();
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
  await page.close();
}

await browser.close();
await service.stop();
rmSync(data, { recursive: true, force: true });
