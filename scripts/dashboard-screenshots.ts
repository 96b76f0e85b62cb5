// Pictures of every screen of the dashboard in light and dark, 1280 and 375 pixels wide, in /screenshots (not committed):
// `node scripts/dashboard-screenshots.ts [part of a name]`. The service runs on a data folder of its own.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createClient } from "@tidings/contract";
import { chromium, type Page } from "playwright-core";
import { newApiKey } from "../packages/server/src/lib/secrets.ts";
import { type Seeded, seedCompany, startOnFolder } from "../packages/server/test/dashboard/seed.ts";
import { seedAudience } from "../packages/server/test/dashboard/seed-audience.ts";
import { enter } from "../packages/server/test/dashboard/support.ts";

type Picture = { name: string; path: (seeded: Shown) => string; act?: (page: Page) => Promise<unknown> };
type Shown = Seeded & { production: string; imported: string };

const sampleCsv = [
  "subscriberId;email;firstName;lastName;timezone;data.plan",
  "alan;alan@example.com;Alan;Turing;Europe/London;pro",
  "edsger;edsger@example;Edsger;Dijkstra;Europe/Amsterdam;free",
  "ada;ada@example.com;Ada;King;;pro",
  "donald;donald@example.com;Donald;Knuth;Pacific/Stanford;pro",
].join("\r\n");

async function tryImport(page: Page): Promise<void> {
  const file = { name: "people.csv", mimeType: "text/csv", buffer: Buffer.from(sampleCsv) };
  await page.locator("input[type=file]").setInputFiles(file);
  await page.getByRole("button", { name: "Dry run" }).click();
  await page.getByRole("heading", { name: "What the import would do" }).waitFor();
  await page.getByRole("table", { name: "Faulty lines" }).scrollIntoViewIfNeeded();
}

const pictures: Picture[] = [
  { name: "home", path: () => "/" },
  { name: "activity", path: () => "/activity" },
  { name: "activity-failed", path: () => "/activity?outcome=failed" },
  { name: "palette", path: () => "/activity", act: (page) => page.keyboard.press("Control+k") },
  { name: "sign-in", path: () => "/sign-in" },
  { name: "run-sent", path: ({ shipped }) => `/activity/${shipped}` },
  { name: "run-skipped", path: ({ skipped }) => `/activity/${skipped}` },
  { name: "run-failed", path: ({ failed }) => `/activity/${failed}` },
  { name: "run-waiting", path: ({ waiting }) => `/activity/${waiting}` },
  { name: "run-topic", path: ({ toTopic }) => `/activity/${toTopic}` },
  { name: "workflows", path: () => "/workflows" },
  { name: "workflow-email", path: () => "/workflows/order-shipped?step=email" },
  { name: "workflow-in-app", path: () => "/workflows/order-shipped" },
  { name: "workflow-condition", path: () => "/workflows/login-code?step=email" },
  { name: "workflow-delay", path: () => "/workflows/trial-ends" },
  { name: "workflow-canvas", path: () => "/workflows/comment-mention?view=canvas&step=email" },
  { name: "workflow-settings", path: () => "/workflows/order-shipped?tab=settings" },
  { name: "workflow-simulate", path: () => "/workflows/trial-ends?tab=simulate" },
  { name: "workflow-digests", path: () => "/workflows/comment-mention?tab=digests" },
  { name: "workflow-versions", path: () => "/workflows/order-shipped?tab=versions" },
  { name: "people", path: () => "/people" },
  { name: "person-why", path: () => "/people/grace" },
  { name: "person-preferences", path: () => "/people/grace?tab=preferences" },
  { name: "person-schedule", path: () => "/people/grace?tab=schedule" },
  { name: "person-inbox", path: () => "/people/ada?tab=inbox" },
  { name: "person-topics", path: () => "/people/member-001?tab=topics" },
  { name: "person-profile", path: () => "/people/ada?tab=profile" },
  { name: "audience-topics", path: () => "/topics" },
  { name: "audience-topic", path: () => "/topics/all-hands" },
  {
    name: "audience-rules",
    path: () => "/topics/release-notes",
    act: (page) => page.getByRole("button", { name: "Rules of ada" }).click(),
  },
  {
    name: "audience-add-people",
    path: () => "/topics/release-notes",
    act: (page) => page.getByRole("button", { name: "Add people" }).click(),
  },
  {
    name: "audience-preference",
    path: () => "/topics/all-hands",
    act: async (page) => {
      await page.getByRole("checkbox", { name: "Select all on this page" }).check();
      await page.getByRole("button", { name: "Change a preference" }).click();
    },
  },
  { name: "audience-contexts", path: () => "/topics?tab=contexts" },
  { name: "audience-suppressions", path: () => "/topics?tab=suppressions" },
  { name: "audience-imports", path: () => "/topics?tab=imports" },
  { name: "audience-import-new", path: () => "/imports/new" },
  { name: "audience-import-dry-run", path: () => "/imports/new", act: tryImport },
  { name: "audience-import-report", path: ({ imported }) => `/imports/${imported}` },
  { name: "content-layouts", path: () => "/layouts" },
  { name: "content-layout", path: () => "/layouts/company" },
  { name: "content-translations", path: () => "/translations" },
  { name: "content-texts", path: () => "/translations/workflow/order-shipped" },
  { name: "integrations", path: () => "/integrations" },
  { name: "integrations-catalogue", path: () => "/integrations/new" },
  { name: "integrations-new", path: () => "/integrations/new/sendgrid" },
  { name: "integrations-one", path: () => "/integrations/office-mail" },
  {
    name: "integrations-test",
    path: () => "/integrations/office-mail",
    act: (page) => page.getByRole("button", { name: "Send a test" }).click(),
  },
  { name: "settings-account", path: () => "/settings" },
  { name: "settings-people", path: () => "/settings?tab=people" },
  {
    name: "settings-invite",
    path: () => "/settings?tab=people",
    act: (page) => page.getByRole("button", { name: "Invite a person" }).click(),
  },
  { name: "settings-audit", path: () => "/settings?tab=audit" },
  // The last ones: the browser remembers the environment.
  { name: "production", path: ({ production }) => `/activity?env=${production}` },
  { name: "home-new", path: ({ production }) => `/?env=${production}` },
];

const wanted = process.argv[2] ?? "";
const folder = join(dirname(import.meta.dirname), "screenshots");
mkdirSync(folder, { recursive: true });
const data = mkdtempSync(join(tmpdir(), "tidings-screenshots-"));
const apiKey = newApiKey();
const service = await startOnFolder(data, apiKey);
const executablePath = process.env.TIDINGS_CHROMIUM ?? "/usr/bin/chromium";
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
try {
  const client = createClient({ baseUrl: service.url, apiKey });
  const { body: environments } = await client("environments.list");
  const production = environments.find(({ type }) => type === "prod")!.identifier;
  const seeded = { ...(await seedCompany(client)), ...(await seedAudience(client)), production };
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  for (const colorScheme of ["light", "dark"] as const) {
    for (const width of [1280, 375]) {
      const context = await browser.newContext({
        colorScheme,
        viewport: { width, height: width === 375 ? 812 : 860 },
        deviceScaleFactor: 1.5,
      });
      await enter(context, service);
      const page = await context.newPage();
      page.on("console", (message) => message.type() === "error" && console.error(message.text()));
      page.on("pageerror", (error) => console.error(error));
      for (const { name, path, act } of pictures.filter((picture) => picture.name.includes(wanted))) {
        await page.goto(service.url + path(seeded));
        await page.waitForLoadState("networkidle").catch(() => {});
        await page
          .waitForFunction("!/Loading/.test(document.body.innerText)", null, { timeout: 5_000 })
          .catch(() => {});
        await act?.(page);
        await page.waitForTimeout(300);
        await page.screenshot({ path: join(folder, `${name}-${width}-${colorScheme}.png`) });
      }
      await context.close();
    }
  }
} finally {
  await browser.close();
  await service.stop();
  rmSync(data, { recursive: true, force: true });
}
console.log(`${folder} written`);
