// Pictures of every screen of the dashboard in light and dark, 1280 and 375 pixels wide, in /screenshots (not
// committed): `node scripts/dashboard-screenshots.ts [parts of names]`. The service runs on its own data folder.
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Environment } from "@tidings/contract";
import { newApiKey } from "@tidings/server/source/lib/secrets";
import { openDb } from "@tidings/server/source/store/db";
import { type Client, createClient } from "@tidings/testkit/client";
import { chromium, type Page } from "playwright-core";
import {
  type Seeded,
  seedCompany,
  seedPublishes,
  seedStatistics,
  seedTroubles,
  seedWeek,
  startOnFolder,
} from "../packages/server/test/dashboard/seed.ts";
import { seedTopics } from "../packages/server/test/dashboard/seed-topics.ts";
import { enter, ownerOf } from "../packages/server/test/dashboard/support.ts";

type Picture = { name: string; path: (seeded: Shown) => string; act?: (page: Page) => Promise<unknown> };
type Shown = Seeded &
  Awaited<ReturnType<typeof seedTroubles>> &
  Awaited<ReturnType<typeof seedBroadcasts>> & { production: string; imported: string; rehearsal: string };

const pushGroup = "integration=mobile-app&error=config";

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
  await page.getByRole("table", { name: "Invalid lines" }).scrollIntoViewIfNeeded();
}

async function tryDraft(page: Page): Promise<void> {
  await page.getByRole("button", { name: /^Backtest on the/ }).click();
  await page.getByRole("heading", { name: "What would be different" }).waitFor();
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
  {
    name: "workflow-email-phone",
    path: () => "/workflows/order-shipped?step=email",
    act: async (page) => {
      const side = page.getByRole("group", { name: "Form or preview" });
      if (await side.isVisible()) await side.getByRole("button", { name: "Preview" }).click();
      await page.getByRole("button", { name: "Phone" }).click();
      await page.getByRole("button", { name: "Dark", exact: true }).click();
    },
  },
  {
    name: "workflow-test",
    path: () => "/workflows/order-shipped?step=email",
    act: async (page) => {
      await page.getByRole("button", { name: "Test", exact: true }).click();
      await page.getByRole("button", { name: "Send now" }).click();
      await page.getByRole("link", { name: "Open the mailbox" }).waitFor();
    },
  },
  {
    name: "workflow-completion",
    path: () => "/workflows/order-shipped?step=in-app",
    act: async (page) => {
      await page.getByRole("textbox", { name: "Title" }).fill("");
      await page.getByRole("textbox", { name: "Title" }).pressSequentially("Order {{");
    },
  },
  {
    name: "subscribers-add",
    path: () => "/subscribers",
    act: (page) => page.getByRole("button", { name: "Add subscriber" }).click(),
  },
  { name: "workflow-in-app", path: () => "/workflows/order-shipped" },
  { name: "workflow-condition", path: () => "/workflows/login-code?step=email" },
  { name: "workflow-delay", path: () => "/workflows/trial-ends" },
  { name: "workflow-canvas", path: () => "/workflows/comment-mention?view=canvas&step=email" },
  { name: "workflow-settings", path: () => "/workflows/order-shipped?tab=settings" },
  { name: "workflow-simulate", path: () => "/workflows/trial-ends?tab=simulate" },
  { name: "workflow-digests", path: () => "/workflows/comment-mention?tab=digests" },
  { name: "workflow-versions", path: () => "/workflows/order-shipped?tab=versions" },
  { name: "gallery", path: () => "/gallery" },
  { name: "gallery-template", path: () => "/gallery?template=order-confirmed" },
  { name: "brand", path: () => "/brand" },
  { name: "subscribers", path: () => "/subscribers" },
  { name: "subscriber-why", path: () => "/subscribers/grace" },
  { name: "subscriber-preferences", path: () => "/subscribers/grace?tab=preferences" },
  { name: "subscriber-schedule", path: () => "/subscribers/grace?tab=schedule" },
  { name: "subscriber-inbox", path: () => "/subscribers/ada?tab=inbox" },
  { name: "subscriber-topics", path: () => "/subscribers/member-001?tab=topics" },
  { name: "subscriber-profile", path: () => "/subscribers/ada?tab=profile" },
  { name: "topics-topics", path: () => "/topics" },
  { name: "topics-topic", path: () => "/topics/all-hands" },
  {
    name: "topics-rules",
    path: () => "/topics/release-notes",
    act: (page) => page.getByRole("button", { name: "Rules for ada" }).click(),
  },
  {
    name: "topics-add-subscribers",
    path: () => "/topics/release-notes",
    act: (page) => page.getByRole("button", { name: "Add subscribers" }).click(),
  },
  {
    name: "topics-preference",
    path: () => "/topics/all-hands",
    act: async (page) => {
      await page.getByRole("checkbox", { name: "Select all on this page" }).check();
      await page.getByRole("button", { name: "Change a preference" }).click();
    },
  },
  { name: "topics-contexts", path: () => "/topics?tab=contexts" },
  { name: "topics-suppressions", path: () => "/topics?tab=suppressions" },
  { name: "topics-imports", path: () => "/topics?tab=imports" },
  { name: "topics-import-new", path: () => "/imports/new" },
  { name: "topics-import-dry-run", path: () => "/imports/new", act: tryImport },
  { name: "topics-import-report", path: ({ imported }) => `/imports/${imported}` },
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
  { name: "dead-letters-causes", path: () => "/dead-letters" },
  { name: "dead-letters-group", path: () => `/dead-letters/group?${pushGroup}` },
  {
    name: "dead-letters-dialog",
    path: () => `/dead-letters/group?${pushGroup}`,
    act: async (page) => {
      await page.getByRole("button", { name: /^Send \d+ again/ }).click();
      await page.getByText("What will happen").or(page.getByText("will be sent")).first().waitFor();
    },
  },
  { name: "dead-letters-replay", path: ({ replayId }) => `/dead-letters/replays/${replayId}` },
  { name: "dead-letters-replays", path: () => "/dead-letters?tab=replays" },
  { name: "dead-letters-tasks", path: () => "/dead-letters?tab=tasks" },
  { name: "webhooks-endpoints", path: () => "/webhooks" },
  {
    name: "webhooks-add",
    path: () => "/webhooks",
    act: (page) => page.getByRole("button", { name: "Add endpoint" }).click(),
  },
  { name: "webhooks-one", path: ({ webhookId }) => `/webhooks/${webhookId}` },
  {
    name: "webhooks-delivery",
    path: ({ webhookId }) => `/webhooks/${webhookId}`,
    act: (page) => page.getByRole("button", { name: /webhook\.test/ }).click(),
  },
  { name: "webhooks-receipts", path: () => "/webhooks?tab=receipts" },
  { name: "sources", path: () => "/sources" },
  {
    name: "sources-add",
    path: () => "/sources",
    act: (page) => page.getByRole("button", { name: "Add source" }).click(),
  },
  { name: "statistics", path: () => "/statistics" },
  {
    name: "statistics-providers",
    path: () => "/statistics",
    act: (page) => page.getByRole("heading", { name: "By channel" }).scrollIntoViewIfNeeded(),
  },
  { name: "statistics-week", path: () => "/statistics?range=7d" },
  { name: "statistics-month", path: () => "/statistics?range=30d&channel=sms" },
  { name: "environments", path: () => "/environments" },
  {
    name: "environments-create",
    path: () => "/environments",
    act: (page) => page.getByRole("button", { name: "New environment" }).click(),
  },
  { name: "environments-variables", path: () => "/environments?tab=variables" },
  {
    name: "environments-variables-create",
    path: () => "/environments?tab=variables",
    act: (page) => page.getByRole("button", { name: "New variable" }).click(),
  },
  { name: "environments-publish", path: () => "/environments?tab=publish" },
  {
    name: "environments-publish-ask",
    path: () => "/environments?tab=publish",
    act: (page) => page.getByRole("button", { name: /^Publish \d/ }).click(),
  },
  {
    name: "environments-history",
    path: () => "/environments?tab=history",
    act: (page) =>
      page
        .getByRole("list", { name: /^Publishes/ })
        .getByRole("button")
        .first()
        .click(),
  },
  {
    name: "environments-restore",
    path: () => "/environments?tab=history",
    act: async (page) => {
      await page
        .getByRole("list", { name: /^Publishes/ })
        .getByRole("button")
        .first()
        .click();
      await page.getByRole("button", { name: "Revert" }).click();
    },
  },
  { name: "categories-list", path: () => "/categories" },
  {
    name: "categories-create",
    path: () => "/categories",
    act: (page) => page.getByRole("button", { name: "New category" }).first().click(),
  },
  { name: "attention-list", path: () => "/attention" },
  {
    name: "attention-create",
    path: () => "/attention",
    act: (page) => page.getByRole("button", { name: "Add budget" }).click(),
  },
  {
    name: "run-take-back",
    path: ({ toTopic }) => `/activity/${toTopic}`,
    act: (page) => page.getByRole("button", { name: "Take back" }).click(),
  },
  { name: "audiences-list", path: () => "/audiences" },
  { name: "audiences-new", path: () => "/audiences/new" },
  { name: "audiences-rule", path: () => "/audiences/reachable" },
  { name: "audiences-people", path: () => "/audiences/reachable?tab=people&who=ada" },
  { name: "audiences-fixed", path: () => "/audiences/guests" },
  { name: "broadcasts-list", path: () => "/broadcasts" },
  { name: "broadcasts-draft", path: ({ draft }) => `/broadcasts/${draft}` },
  {
    name: "broadcasts-preview",
    path: ({ draft }) => `/broadcasts/${draft}?tab=preview`,
    act: (page) => page.getByRole("list", { name: "People" }).waitFor(),
  },
  { name: "broadcasts-steps", path: ({ draft }) => `/broadcasts/${draft}/steps` },
  { name: "broadcasts-sent", path: ({ sent }) => `/broadcasts/${sent}?outcome=not_opened` },
  { name: "settings-account", path: () => "/settings" },
  { name: "settings-members", path: () => "/settings?tab=members" },
  {
    name: "settings-invite",
    path: () => "/settings?tab=members",
    act: (page) => page.getByRole("button", { name: "Invite member" }).click(),
  },
  { name: "settings-audit", path: () => "/settings?tab=audit" },
  { name: "settings-audit-range", path: () => "/settings?tab=audit&range=custom&operation=workflows" },
  { name: "mailbox-list", path: () => "/mailbox" },
  {
    name: "mailbox-mail",
    path: () => "/mailbox?q=confirm&channel=email",
    act: (page) => page.getByRole("link", { name: /Confirm your address/ }).click(),
  },
  {
    name: "mailbox-dark",
    path: () => "/mailbox?q=confirm&channel=email",
    act: async (page) => {
      await page.getByRole("link", { name: /Confirm your address/ }).click();
      await page.getByRole("button", { name: "Dark" }).click();
      await page.getByRole("button", { name: "Phone width" }).click();
    },
  },
  {
    name: "mailbox-sms",
    path: () => "/mailbox?channel=sms",
    act: (page) =>
      page
        .getByRole("link", { name: /482913/ })
        .first()
        .click(),
  },
  { name: "workflow-backtest", path: () => "/workflows/order-shipped?tab=backtest", act: tryDraft },
  { name: "backtests", path: () => "/backtests" },
  { name: "clock-real", path: () => "/clock" },
  // The last ones: the browser remembers the environment.
  { name: "clock-test", path: ({ rehearsal }) => `/clock?env=${rehearsal}` },
  { name: "clock-production", path: ({ production }) => `/clock?env=${production}` },
  { name: "mailbox-production", path: ({ production }) => `/mailbox?env=${production}` },
  { name: "production", path: ({ production }) => `/activity?env=${production}` },
  { name: "home-new", path: ({ production }) => `/?env=${production}` },
];

/** An audience of each kind, a draft, and a broadcast that was sent. */
async function seedBroadcasts(client: Client): Promise<{ draft: string; sent: string }> {
  const rule = { notNull: [{ var: "subscriber.phone" }] };
  await client("audiences.create", { body: { audienceId: "reachable", name: "People with a phone", rule } });
  await client("audiences.create", { body: { audienceId: "guests", name: "Conference guests" } });
  const members = { subscriberIds: ["ada", "grace"] };
  await client("audiences.addMembers", { params: { audienceId: "guests" }, body: members });
  const controlValues = { subject: "Spring release", body: "Hello {{ subscriber.firstName }}, it is here." };
  const content = { steps: [{ name: "In-app", type: "in_app" as const, controlValues }] };
  const create = async (name: string, audience: { include: string[]; exclude?: string[] }) =>
    (await client("broadcasts.create", { body: { name, content, audience } })).body._id;
  const draft = await create("Summer release", { include: ["reachable"], exclude: ["guests"] });
  await client("broadcasts.check", { params: { broadcastId: draft } });
  const sent = await create("Spring release", { include: ["reachable"] });
  await client("broadcasts.send", { params: { broadcastId: sent } });
  return { draft, sent };
}

/** An environment in the middle of a week on its test clock. */
async function rehearse(client: Client): Promise<string> {
  const { body } = await client("environments.create", { body: { name: "Rehearsal", color: "#0f766e" } });
  const stage = createClient({ baseUrl: service.url, apiKey: body.apiKeys![0]!.key });
  const params = { environmentId: body._id };
  const trigger = (name: string, ...to: string[]) => stage("events.trigger", { body: { name, to, payload: {} } });
  await stage("environments.updateClock", { params, body: { now: "2026-03-02T09:00:00Z" } });
  await seedWeek(stage);
  for (const _ of [1, 2, 3]) await trigger("mentions", "ada");
  await trigger("trial", "ada", "grace", "katherine", "margaret", "radia");
  await trigger("weekly-report", "grace");
  await trigger("mentions", "barbara");
  await stage("environments.updateClock", { params, body: { advance: { amount: 2, unit: "days" } } });
  for (const _ of [1, 2]) await trigger("mentions", "grace");
  await stage("environments.updateClock", { params, body: { advance: { amount: 1, unit: "hours" } } });
  return body.identifier;
}

const wanted = process.argv.slice(2);
const isWanted = ({ name }: Picture) => wanted.length === 0 || wanted.some((part) => name.includes(part));
const folder = join(dirname(import.meta.dirname), "screenshots");
mkdirSync(folder, { recursive: true });
const data = mkdtempSync(join(tmpdir(), "tidings-screenshots-"));
const apiKey = newApiKey();
const service = await startOnFolder(data, apiKey);
/** A receiver of webhooks, which has gone at one of its paths. */
const receiver = createServer((request, response) => {
  response.writeHead(request.url === "/gone" ? 410 : 200).end(request.url === "/gone" ? "moved away" : "taken");
}).listen(0, "127.0.0.1");
await once(receiver, "listening");
const receiverUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
const executablePath = process.env.TIDINGS_CHROMIUM ?? "/usr/bin/chromium";
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
try {
  const client = createClient({ baseUrl: service.url, apiKey });
  const { body: environments } = await client("environments.list");
  const production = environments.find(({ type }) => type === "prod")!.identifier;
  const [{ _id: _environmentId }] = environments.filter(({ apiKeys }) => apiKeys !== undefined) as [Environment];
  for (const [key, value, isSecret] of [
    ["BASE_URL", "https://staging.example.com", false],
    ["BILLING_TOKEN", "not a real token", true],
  ] as const)
    await client("environmentVariables.create", { body: { key, isSecret, values: [{ _environmentId, value }] } });
  const seeded = {
    ...(await seedCompany(client)),
    ...(await seedTroubles(client, receiverUrl)),
    ...(await seedTopics(client)),
    ...(await seedBroadcasts(client)),
    production,
    rehearsal: await rehearse(client),
  };
  const db = openDb({ url: service.databaseUrl, poolSize: 1, onError: () => {} });
  await seedStatistics(db, environments.find(({ apiKeys }) => apiKeys !== undefined)!._id);
  await db.destroy();
  await seedPublishes(client, await ownerOf(service));
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
      for (const { name, path, act } of pictures.filter(isWanted)) {
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
  receiver.close();
  rmSync(data, { recursive: true, force: true });
}
console.log(`${folder} written`);
