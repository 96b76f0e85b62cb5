// How long a person waits: the first rows of the activity with a million notifications, and the page of a run whose
// digest has 20,000 events. Each visit is a new browser profile, so nothing is in its cache. Needs a Chromium.
import { existsSync } from "node:fs";
import { makeOwnerLink } from "@tidings/server/source/app/members/links";
import { readConfig } from "@tidings/server/source/config";
import { newId } from "@tidings/server/source/lib/ids";
import { type Db, openDb } from "@tidings/server/source/store/db";
import { type Client, createClient } from "@tidings/testkit/client";
import { median, percentile } from "@tidings/testkit/load/figures";
import { progress } from "@tidings/testkit/load/progress";
import { sleep } from "@tidings/testkit/programs/limits";
import { type Browser, chromium } from "playwright-core";
import { load } from "./growth-rows.ts";
import type { BenchService } from "./support.ts";
import { formatNumber, type Row, valueAtMost } from "./table.ts";

const executablePath = process.env.TIDINGS_CHROMIUM ?? "/usr/bin/chromium";
const visits = 7;
const eventsPerRequest = 100;

export async function benchDashboard(
  service: BenchService,
  { notifications, digested }: { notifications: number; digested: number },
): Promise<Row[]> {
  if (!existsSync(executablePath))
    return [{ what: "dashboard", value: Number.NaN, unit: "", note: "not run: no Chromium (TIDINGS_CHROMIUM)" }];
  const client = createClient({ baseUrl: service.url, apiKey: service.apiKey });
  const db = openDb({ url: service.databaseUrl, poolSize: 2, statementMs: 1_800_000, onError: () => {} });
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
  try {
    const { body: workflow } = await client("workflows.retrieve", { params: { workflowId: "welcome" }, query: {} });
    await load(db, workflow._id, notifications);
    const run = await fillDigest(client, digested);
    const cookie = await signIn(service, db);
    const measure = (path: string, sign: string) => timeVisits(browser, service, cookie, path, sign);
    const lists = await measure("/activity", "main a[href*='/activity/']");
    const failed = await measure("/activity?outcome=failed", "main >> text=Looked");
    const page = await measure(`/activity/${run}`, "main h2");
    const row = (what: string, { times }: Visits): Row => ({
      what: `dashboard, ${what}, median of ${visits} first visits (slowest ${formatNumber(Math.max(...times))} ms)`,
      value: median(times),
      unit: "ms",
      aim: valueAtMost(1_000),
    });
    return [
      row(`first rows of the activity with ${formatNumber(notifications)} notifications`, lists),
      row("the activity, failed only, first answer when there are none", failed),
      row(`the run of a digest of ${formatNumber(digested)} events`, page),
      {
        what: "dashboard, files loaded before the rows of the activity are asked for",
        value: lists.files,
        unit: "files",
        note: `${formatNumber(lists.kilobytes)} kB, compressed`,
      },
    ];
  } finally {
    await browser.close();
    await db.destroy();
  }
}

/** Returns the transaction whose run leads the digest. */
async function fillDigest(client: Client, events: number): Promise<string> {
  progress(`a digest of ${formatNumber(events)} events …`);
  await client("workflows.create", {
    body: {
      workflowId: "flood",
      name: "Flood",
      active: true,
      steps: [
        { name: "Digest", type: "digest", controlValues: { amount: 1, unit: "days" } },
        { name: "In-app", type: "in_app", controlValues: { body: "{{ steps.digest.eventCount }} events" } },
      ],
    },
  } as never);
  let leader = "";
  for (let sent = 0; sent < events; sent += eventsPerRequest) {
    const batch = Array.from({ length: eventsPerRequest }, (_, i) => ({
      name: "flood",
      to: "digested",
      payload: { order: sent + i },
      transactionId: `flood-${sent + i}`,
    }));
    await client("events.triggerBulk", { body: { events: batch } } as never);
    leader ||= `flood-${sent}`;
  }
  const last = { transactionId: `flood-${events - 1}` };
  await eventually(async () => (await client("notifications.list", { query: last })).body.data.length > 0);
  const { body: open } = await client("digests.list", { query: {} });
  await client("digests.closeOne", { params: { id: open.data[0]!.id } });
  await eventually(
    async () => (await client("messages.list", { query: { subscriberId: "digested" } })).body.data.length > 0,
  );
  return leader;
}

async function eventually(isSo: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    if (await isSo()) return;
    await sleep(1_000);
  }
  throw new Error("the digest was not filled and sent within five minutes");
}

async function signIn(service: BenchService, db: Db): Promise<string> {
  const tools = { db, config: readConfig({ TIDINGS_API_KEY: service.apiKey }), newId, now: () => new Date() };
  const token = (await makeOwnerLink(tools, service.url)).split("#token=")[1]!;
  const body = { token, name: "Olga Owner", email: "owner@example.com", password: "correct horse battery" };
  const client = createClient({ baseUrl: service.url, apiKey: "", headers: { authorization: undefined } });
  const { headers } = await client("auth.redeemLink", { body });
  return headers.get("set-cookie")!.split(";")[0]!;
}

/**
 * Milliseconds from each visit to the first element that `sign` selects, and what the last one had loaded before its
 * first read.
 */
type Visits = { times: number[]; files: number; kilobytes: number };

const loadedFiles = `(() => {
  const all = performance.getEntriesByType("resource");
  const asked = Math.min(...all.filter(({ initiatorType }) => initiatorType === "fetch").map(({ startTime }) => startTime));
  const files = all.filter(({ name, startTime }) => /\\.(js|css)$/.test(name) && startTime < asked);
  return { files: files.length, kilobytes: files.reduce((sum, file) => sum + file.encodedBodySize, 0) / 1000 };
})()`;

async function timeVisits(browser: Browser, { url }: BenchService, cookie: string, path: string, sign: string) {
  const result: Visits = { times: [], files: 0, kilobytes: 0 };
  const { times } = result;
  const [name, value] = cookie.split("=") as [string, string];
  for (let visit = 0; visit < visits; visit++) {
    const profile = await browser.newContext({ viewport: { width: 1280, height: 860 } });
    await profile.addCookies([{ name, value, url }]);
    const page = await profile.newPage();
    const begun = performance.now();
    await page.goto(url + path, { waitUntil: "commit" });
    await page.locator(sign).first().waitFor({ timeout: 60_000 });
    times.push(performance.now() - begun);
    Object.assign(result, await page.evaluate(loadedFiles));
    await profile.close();
  }
  progress(`${path}: ${formatNumber(percentile(times, 0.5))} ms, slowest ${formatNumber(Math.max(...times))} ms`);
  return result;
}
