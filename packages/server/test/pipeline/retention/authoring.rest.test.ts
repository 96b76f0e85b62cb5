// What writing leaves behind: the drafts of tests, tabs that showed a workflow, and images that nothing shows.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { StepIn } from "@tidings/contract";
import { imageFile, pngOf } from "@tidings/testkit/images";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, email, inApp, settled } from "@tidings/testkit/verbs";
import { sql } from "kysely";
import { pino } from "pino";
import { eventIdIn } from "../../../src/lib/ids.ts";
import { purgeUnusedAssets } from "../../../src/pipeline/retention/unused-assets.ts";
import { ensurePartitions } from "../../../src/store/installation/partitions.ts";
import { purgeViewers } from "../../../src/store/installation/purges.ts";
import { invite, signInOwner } from "../../app/members/browsers.ts";
import { idAt, runRetentionAt } from "../../support/past-runs.ts";

const service = await startTestService();
const { client, production, db, url } = service;
await client("subscribers.create", { body: { subscriberId: "ada", email: "ada@example.com" } });

const dayMs = 86_400_000;
const inDays = (days: number) => new Date(Date.now() + days * dayMs);

async function countTestVersions(): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from workflow_versions where number < 0`.execute(db);
  return rows[0]!.count;
}

test("the draft of a test goes with its event, and stays as long as a run of it waits", async () => {
  await createWorkflow(client, "tested", [inApp()]);
  const send = async (steps: StepIn[]) => {
    const workflow = { name: "Tested", steps };
    const { body } = await client("workflows.test", {
      params: { workflowId: "tested" },
      body: { workflow, to: "ada" },
    });
    await settled(client, body.transactionId);
    return body.transactionId;
  };
  const one = { ...inApp({ body: "One" }), stepId: "in-app" };
  await send([one]);
  await send([one]);
  assert.equal(await countTestVersions(), 1, "the same draft is stored once");
  const waiting = await send([email()]);
  const query = { transactionId: waiting, subscriberId: "ada" };
  // As if its provider were down.
  const { rows } = await sql`update jobs j set status = 'delayed' from notifications n, events e
    where n.environment_id = j.environment_id and n.id = j.notification_id and e.id = n.event_id
      and e.environment_id = n.environment_id and e.id = ${eventIdIn(waiting)} returning 1`.execute(db);
  assert.equal(rows.length, 1);

  await runRetentionAt(db, inDays(89));
  assert.equal(await countTestVersions(), 2, "events are kept for 90 days");
  await runRetentionAt(db, inDays(94));
  await ensurePartitions(db, new Date());
  assert.equal(await countTestVersions(), 1, "the one whose events are gone");
  const explained = (await client("explain.retrieve", { query })).body;
  assert.equal(explained.event.workflowId, "tested", "the run that waits is still explained by its draft");
  assert.equal((await client("workflows.listVersions", { params: { workflowId: "tested" } })).body.data.length, 1);
});

test("a draft that is tested again after a day is stored again, so that its age says when it was last used", async () => {
  const steps = [{ ...inApp({ body: "Three" }), stepId: "in-app" }];
  const send = async () => {
    const body = { workflow: { name: "Tested", steps }, to: "ada" };
    await client("workflows.test", { params: { workflowId: "tested" }, body });
    return countTestVersions();
  };
  const stored = await send();
  assert.equal(await send(), stored);
  const yesterday = idAt(inDays(-1.01), "version");
  await sql`update workflow_versions set id = ${yesterday}
    where number = (select min(number) from workflow_versions)`.execute(db);
  assert.equal(await send(), stored + 1);
});

test("tabs that gave no sign for an hour are forgotten", async () => {
  const owner = await signInOwner(service);
  const viewer = await invite(service, owner, "viewer");
  const announce = (person: typeof owner, tabId: string) =>
    person.call("workflows.announceViewer", { params: { workflowId: "tested" }, body: { tabId } });
  await announce(owner, "one");
  await announce(viewer, "two");
  await sql`update workflow_viewers set seen_at = ${inDays(-1)} where tab_id = 'one'`.execute(db);
  assert.equal(await purgeViewers(db, new Date(Date.now() - 3_600_000), 10), 1);
  const { rows } = await sql<{ tab_id: string }>`select tab_id from workflow_viewers`.execute(db);
  assert.deepEqual(rows, [{ tab_id: "two" }]);
});

test("an image goes when no document shows it and nobody has loaded it for half a year", async () => {
  let width = 100;
  const upload = async (to = client) =>
    (await to("assets.create", { body: { file: imageFile(pngOf(++width, 7)) } })).body;
  const [unused, published, inLayout, inBrand, inText, inTemplate, loaded, again] = [
    await upload(),
    await upload(),
    await upload(),
    await upload(),
    await upload(),
    await upload(),
    await upload(),
    await upload(),
  ];
  const show = (address: string) => `<p><img src="https://notify.example.com${address}" alt="Us"></p>`;
  // Published workflows keep the addresses of the environment that they come from.
  await createWorkflow(production, "shows", [email({ editorType: "html", body: show(published.url) })]);
  await client("layouts.create", {
    body: { layoutId: "framed", name: "Framed" },
  });
  await client("layouts.update", {
    params: { layoutId: "framed" },
    body: {
      name: "Framed",
      controlValues: { email: { body: `${show(inLayout.url)}{{content}}`, editorType: "html" } },
    },
  });
  await client("brand.update", { body: { logoUrl: inBrand.url } });
  const content = { logo: show(inText.url) };
  await client("translations.create", {
    body: { resourceType: "workflow", resourceId: "tested", locale: "en_US", content },
  });
  const step = { name: "Mail", type: "email", controlValues: { subject: "Hi", body: show(inTemplate.url) } } as const;
  await client("stepTemplates.create", { body: { name: "With picture", step } });
  const kept = async () => {
    const { data } = (await client("assets.list", { query: { limit: 100 } })).body;
    return new Set(data.map(({ id }) => id));
  };
  const all = [unused, published, inLayout, inBrand, inText, inTemplate, loaded, again].map(({ id }) => id);
  const purgeIn = (days: number) =>
    purgeUnusedAssets({ db, now: () => inDays(days), log: pino({ level: "silent" }) as never });

  await purgeIn(170);
  assert.deepEqual(await kept(), new Set(all), "nothing is old enough");
  await sql`update assets set created_at = ${inDays(-200)}`.execute(db);
  assert.equal((await fetch(`${url}${loaded.url}`)).status, 200);
  const { rows } = await sql<{ bytes: Buffer }>`select bytes from assets where id = ${again.id}`.execute(db);
  assert.equal((await client("assets.create", { body: { file: imageFile(rows[0]!.bytes) } })).body.id, again.id);
  await purgeIn(0);
  assert.deepEqual(await kept(), new Set(all.filter((id) => id !== unused.id)));
  // Those that a document shows are examined again later, the others go when they were not loaded any longer.
  await purgeIn(181);
  assert.deepEqual(await kept(), new Set([published, inLayout, inBrand, inText, inTemplate].map(({ id }) => id)));
});
