// CSV files of subscribers and subscriptions: imported in the background, line by line judged, and exported again.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import type { Import, ImportError, Input } from "@tidings/contract";
import type { Client } from "@tidings/testkit/client";
import { startTestService, startWorker } from "@tidings/testkit/service";
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";
import { invite, signInOwner } from "../members/browsers.ts";

// The service under test only handles requests; workers come and go next to it.
const TIDINGS_ENCRYPTION_KEY = randomBytes(32).toString("base64");
const service = await startTestService({ TIDINGS_ROLE: "api", TIDINGS_ENCRYPTION_KEY });
const { client, production, db, url, apiKey } = service;
let worker = await startWorker(service, TIDINGS_ENCRYPTION_KEY);

type Body = Input<"imports.create">["body"];
const start = async (body: Body, via: Client = client) => (await via("imports.create", { body })).body;
const progressOf = async (importId: string) => (await client("imports.retrieve", { params: { importId } })).body;
const errorsOf = async (importId: string): Promise<ImportError[]> =>
  (await client("imports.listErrors", { params: { importId } })).body.data;
const finish = ({ id }: Import) =>
  eventually(async () => {
    const found = await progressOf(id);
    return found.status === "completed" ? found : null;
  }, "the import to be completed");
const run = async (body: Body) => finish(await start(body));
const countsOf = ({ lines, done, created, updated, unchanged, faulty }: Import) => [
  lines,
  done,
  created,
  updated,
  unchanged,
  faulty,
];
const subscriber = async (subscriberId: string) =>
  (await client.raw("subscribers.retrieve", { params: { subscriberId } })).body as Record<string, unknown>;
const refused = async (body: unknown, via: Client = client) => {
  const { status, body: answer } = await via.raw("imports.create", { body });
  const { code, message, errors } = answer as {
    code: string;
    message: string;
    errors?: Record<string, { messages: string[] }>;
  };
  return { status, code, message, faults: Object.values(errors ?? {}).flatMap((fault) => fault.messages) };
};
const download = async (path: string, key = apiKey) => {
  const answer = await fetch(`${url}/v1/exports/${path}`, { headers: { authorization: `ApiKey ${key}` } });
  return { status: answer.status, text: await answer.text(), headers: answer.headers };
};

test("a dry run tells what the import will do and writes nothing; the import does it; again, nothing changes", async () => {
  await client("subscribers.create", {
    body: { subscriberId: "ada", firstName: "Ada", data: { plan: "free", seats: 1 } },
  });
  const csv = [
    "\uFEFFSubscriber ID;E-Mail;first_name;time zone;data.plan;data.seats;data.zip",
    'ada;ada@example.com;;Europe/Berlin;pro;5;"""01234"""',
    'grace;grace@example.com;"Grace; Rear\nAdmiral";;;;',
    "bad id;x@example.com;;;;;",
    "edsger;not an address;;;;;",
    "barbara;;;Mars/Olympus;;;",
    "grace;other@example.com;;;;;",
    "linus;;;;;;;one too many",
    "margaret;;;;;;",
  ].join("\r\n");
  const body: Body = { kind: "subscribers", csv, fileName: "people.csv" };
  const dry = await run({ ...body, dryRun: true });
  assert.deepEqual(countsOf(dry), [8, 8, 2, 1, 0, 5]);
  assert.deepEqual([dry.isDryRun, dry.separator, dry.fileName], [true, ";", "people.csv"]);
  assert.deepEqual(dry.columns, [
    "subscriberId",
    "email",
    "firstName",
    "timezone",
    "data.plan",
    "data.seats",
    "data.zip",
  ]);
  assert.equal((await subscriber("grace")).code, "SUBSCRIBER_NOT_FOUND");
  assert.deepEqual((await subscriber("ada")).data, { plan: "free", seats: 1 });

  const done = await run(body);
  assert.deepEqual(countsOf(done), countsOf(dry));
  const { email, firstName, timezone, data } = await subscriber("ada");
  assert.deepEqual(
    { email, firstName, timezone, data },
    {
      email: "ada@example.com",
      firstName: "Ada",
      timezone: "Europe/Berlin",
      data: { plan: "pro", seats: 5, zip: "01234" },
    },
  );
  assert.equal((await subscriber("grace")).firstName, "Grace; Rear\nAdmiral");

  const errors = await errorsOf(done.id);
  assert.deepEqual(errors, await errorsOf(dry.id));
  assert.deepEqual(
    errors.map(({ line, column, message }) => [line, column, message]),
    [
      [5, "subscriberId", "subscriberId has an invalid format: use letters, digits and _ : . - (or an email address)"],
      [6, "email", "email has an invalid format: write it as name@example.com"],
      [7, "timezone", "timezone has an invalid format: use an IANA name such as Europe/Berlin"],
      [8, null, "Line 3 is about the same record: keep one of them"],
      [9, null, "The line has 8 cells, but the first line names 7 columns: put cells with a separator in quotes"],
    ],
  );
  assert.deepEqual(errors[1]!.cells, ["edsger", "not an address", "", "", "", "", ""]);
  const report = await download(`faulty-lines.csv?importId=${done.id}`);
  assert.match(
    report.text,
    /^"edsger","not an address",("",){5}"6","email has an invalid format: write it as name@example.com"\r$/m,
  );
  assert.equal((await download("faulty-lines.csv?importId=none")).status, 404);
  // The report with its columns `line` and `problem`, corrected, is a file again.
  const again = await run({
    kind: "subscribers",
    csv: "line,problem,subscriberId,email\n6,bad,edsger,edsger@example.com",
  });
  assert.deepEqual(countsOf(again), [1, 1, 1, 0, 0, 0]);
  assert.deepEqual(countsOf(await run(body)), [8, 8, 0, 0, 3, 5]);
});

test("subscriptions: topics are created, subscribers have to exist, a second run changes nothing", async () => {
  const csv = "topicKey,subscriberId,name\nnews,ada,Daily\nnews,grace,\nnews,ghost,\n,ada,\noffers,ada,\nof fers,ada,";
  const dry = await run({ kind: "subscriptions", csv, dryRun: true });
  assert.equal((await client.raw("topics.retrieve", { params: { topicKey: "offers" } })).status, 404);
  const done = await run({ kind: "subscriptions", csv });
  assert.deepEqual(
    [countsOf(dry), countsOf(done)],
    [
      [6, 6, 3, 0, 0, 3],
      [6, 6, 3, 0, 0, 3],
    ],
  );
  assert.deepEqual(
    (await errorsOf(done.id)).map(({ line, column }) => [line, column]),
    [
      [4, "subscriberId"],
      [5, "topicKey"],
      [7, "topicKey"],
    ],
  );
  const { body } = await client("topicSubscriptions.list", { params: { topicKey: "news" } });
  assert.deepEqual(body.data.map((one) => one.subscriber.subscriberId).toSorted(), ["ada", "grace"]);
  const renamed = await run({ kind: "subscriptions", csv: csv.replace("Daily", "Weekly") });
  assert.deepEqual(countsOf(renamed), [6, 6, 0, 1, 2, 3]);
});

test("what is exported can be imported: nothing changes, and no cell is a formula", async () => {
  await client("subscribers.create", {
    body: {
      subscriberId: "mallory",
      firstName: '=cmd|"/c calc"!A0',
      phone: "+49151",
      data: { n: 1, s: "1", list: [true] },
    },
  });
  const { status, text, headers } = await download("subscribers.csv");
  assert.deepEqual([status, headers.get("content-type")], [200, "text/csv; charset=utf-8"]);
  assert.match(headers.get("content-disposition")!, /attachment; filename="subscribers.csv"/);
  assert.match(text, /^"mallory","","'\+49151","'=cmd\|""\/c calc""!A0"/m);
  const done = await run({ kind: "subscribers", csv: text });
  assert.deepEqual([done.updated, done.created, done.faulty], [0, 0, 0]);
  assert.equal(done.unchanged, done.lines);
  const all = await download("subscriptions.csv");
  assert.equal(all.text.split("\r\n").filter((line) => /^"(news|offers)",/.test(line)).length, 3);
  const one = await download("subscriptions.csv?topicKey=offers");
  assert.equal(one.text, '"topicKey","subscriberId","identifier","name"\r\n"offers","ada","tk_offers:si_ada",""\r\n');
  assert.equal((await download("subscriptions.csv?topicKey=none")).status, 404);
  assert.equal((await run({ kind: "subscriptions", csv: all.text })).unchanged, 3);
  assert.equal((await download("subscribers.csv", "wrong")).status, 401);
});

test("files that are refused: the fault and the fix, and nothing is stored", async () => {
  const before = (await client("imports.list")).body.totalCount;
  const known =
    "Known columns: subscriberId, email, phone, firstName, lastName, locale, timezone, avatar, data, data.<name>";
  assert.deepEqual((await refused({ kind: "subscribers", csv: "subscriberId,shoe size\na,1" })).faults, [
    `Column 'shoe size' is unknown. ${known}`,
  ]);
  for (const [csv, fault] of [
    ["email\na@b.c", /'subscriberId' is missing/],
    ["subscriberId,Subscriber_Id\na,b", /occurs twice/],
    ["subscriberId", /no line below/],
    ['"subscriberId\na', /quote that is not closed/],
    [" \n ", /no column names/],
    ["subscriberId,data.__proto__\na,1", /unknown/],
    ["subscriberId\n\u0000", /U\+0000/],
    ["", /must not be empty/],
  ] as const) {
    const { status, faults } = await refused({ kind: "subscribers", csv });
    assert.equal(status, 422, csv);
    assert.match(faults.join(), fault);
  }
  assert.match((await refused({ kind: "people", csv: "a\n1" })).faults.join(), /kind must be one of/);
  assert.match((await refused({ kind: "subscribers" })).faults.join(), /csv is required/);
  const lines = await refused({ kind: "subscribers", csv: `subscriberId\n${"a\n".repeat(1_000_000)}` });
  assert.deepEqual([lines.status, lines.code], [413, "IMPORT_TOO_LARGE"]);
  const bytes = await refused({ kind: "subscribers", csv: `subscriberId\n${"x".repeat(10_000_000)}` });
  assert.match(bytes.message, /has 10\.0 MB; at most 10 MB/);
  assert.equal((await client("imports.list")).body.totalCount, before);
});

test("hostile cells: long ones, deep JSON, names of prototypes, half a surrogate pair", async () => {
  const text = "ü".repeat(10_000);
  const csv = [
    "subscriberId,firstName,data.bio,data",
    `long,,${text},`,
    `longer,,${"x".repeat(20_001)},`,
    `deep,,,"${"[".repeat(5_000)}"`,
    `list,,,"[1]"`,
    `proto,,,"{""__proto__"": {""polluted"": true}, ""ok"": 1}"`,
    `name,${"n".repeat(256)},,`,
    `'=1+1,,,`,
    `zero,,,"{""a"": ""\\u0000""}"`,
    `half,,"""\\ud800""",`,
    `nested,,,"{""a"": ${"[".repeat(300)}${"]".repeat(300)}}"`,
    `smileys,,${"😀".repeat(10_001)},`,
  ].join("\n");
  const done = await run({ kind: "subscribers", csv });
  assert.deepEqual(countsOf(done), [11, 11, 2, 0, 0, 9]);
  assert.equal(((await subscriber("long")).data as { bio: string }).bio, text);
  assert.equal(({} as { polluted?: boolean }).polluted, undefined);
  assert.deepEqual(
    (await errorsOf(done.id)).map(({ line, column }) => [line, column]),
    [
      [3, "data.bio"],
      [4, "data"],
      [5, "data"],
      [7, "firstName"],
      [8, "subscriberId"],
      [9, "data"],
      [10, "data"],
      [11, "data"],
      [12, "data.bio"],
    ],
  );
});

test("another environment sees neither the import nor its subscribers; roles decide about people", async () => {
  const { id: importId } = await run({ kind: "subscribers", csv: "subscriberId\nada" });
  for (const id of ["imports.retrieve", "imports.listErrors"] as const) {
    assert.equal((await production.raw(id, { params: { importId } })).status, 404);
  }
  assert.equal((await production("imports.list")).body.totalCount, 0);
  const owner = await signInOwner(service);
  const [support, editor] = [await invite(service, owner, "support"), await invite(service, owner, "editor")];
  const body = { kind: "subscribers", csv: "subscriberId,email\nada,secret@example.com" };
  assert.equal((await support.call("imports.create", { body })).status, 403);
  assert.equal((await support.call("imports.list")).status, 200);
  assert.equal(
    (await editor.call("imports.create", { body: { ...body, csv: `${body.csv}\n${"\n".repeat(3_000)}` } })).status,
    201,
  );
  const { text } = await owner.call("auditLog.list", { query: { limit: 1 } });
  assert.match(text, /imports\.create/);
  assert.ok(text.length < 5_000, "the file is not part of the audit log");
  const { status } = await fetch(`${url}/v1/exports/subscribers.csv`, { headers: support.headers() });
  assert.equal(status, 200);
});

test("an import survives the end of its worker: every line once", async () => {
  const lines = 5_000;
  const csv = `subscriberId\n${Array.from({ length: lines }, (_, index) => `many-${index}`).join("\n")}`;
  const started = await start({ kind: "subscribers", csv });
  await eventually(async () => (await progressOf(started.id)).done > 0, "the first page");
  await worker.stop();
  const { done } = await progressOf(started.id);
  worker = await startWorker(service, TIDINGS_ENCRYPTION_KEY);
  const finished = await finish(started);
  assert.ok(done < lines, "the worker stopped in the middle");
  assert.deepEqual(countsOf(finished), [lines, lines, lines, 0, 0, 0]);
  const { rows } = await sql<{ lines: number }>`select count(rows)::int as lines from import_pages`.execute(db);
  assert.equal(rows[0]!.lines, 0, "no line is kept after the import");
  await worker.stop();
});
