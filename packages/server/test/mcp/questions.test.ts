// Questions of support and one call of a tool for each: the facts that settle it are in the text of the tool.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openSupportDay, secretPassword } from "./support-day.ts";

const day = await openSupportDay();
const { events } = day;

type Question = {
  ask: string;
  tool: string;
  with: object;
  facts: RegExp[];
  /** The assistant asks in this environment; the one of the day unless given. */
  in?: "elsewhere" | "outage";
  /** The tool refuses. */
  isRefused?: true;
};

const why = (ask: string, event: string, subscriberId: string, ...facts: RegExp[]): Question => ({
  ask,
  tool: "explain",
  with: { transactionId: events[event], subscriberId },
  facts,
});
const using = (ask: string, tool: string, input: object, ...facts: RegExp[]): Question => ({
  ask,
  tool,
  with: input,
  facts,
});

const questions: Question[] = [
  using(
    "Did ada get invoice INV-1?",
    "explain",
    { subscriberId: "ada", searchValue: "INV-1" },
    /Step email \(email\): sent/,
    /"ada@example\.com" through integration strict/,
  ),
  why(
    "Why did bob not get his invoice?",
    "invoice-bob",
    "bob",
    /subscriber turned email off for workflow invoice/,
    /preference bob/,
  ),
  why("Why did cleo not get her invoice?", "invoice-cleo", "cleo", /we stopped mailing this address: added by hand/),
  why(
    "When does dan get his invoice?",
    "invoice-dan",
    "dan",
    /until 2026-03-02T09:00:00\.000Z/,
    /outside the subscriber's schedule/,
  ),
  why("Why did eve not get her invoice?", "invoice-eve", "eve", /subscriber has no email address/),
  why("Why did fay not get her invoice?", "invoice-fay", "fay", /subscriber turned email off for all workflows/),
  why("When does ada's digest come?", "digest", "ada", /Collecting until 2026-03-01T13:00:00\.000Z/),
  why(
    "Where is ada's second message?",
    "digest-second",
    "ada",
    new RegExp(`Joined the digest of event ${events.digest}`),
  ),
  why(
    "Why has the reminder not come?",
    "delay",
    "ada",
    /Waiting until 2026-03-04T12:00:00\.000Z/,
    /Step email \(email\): pending/,
  ),
  why("What happened to hal's reminder?", "canceled", "hal", /the event was canceled/),
  why("Why was there no SMS code?", "no-phone", "ada", /subscriber has no phone number/),
  why(
    "Why no mail on the upgrade?",
    "condition",
    "ada",
    /it is skipped when payload\.plan is \\"free\\", and it was \\"free\\"/,
  ),
  why("Why is this workflow silent?", "workflow-off", "ada", /workflow quiet-by-default turns email off by default/),
  why(
    "Why only one message about two logins?",
    "throttled",
    "ada",
    /the throttle let 1 through in the window that ends at 2026-03-01T13:00:00\.000Z/,
  ),
  why(
    "Why did ina not get the news?",
    "topic",
    "ina",
    /not reached \(topic_rule\)/,
    /only when payload\.area is \\"north\\"/,
  ),
  why("Why did gus not get the news?", "topic", "gus", /not reached \(excluded\)/),
  why("Why did bob not get the news?", "topic", "bob", /Not subscribed to the event's topic news/),
  why("What did the mail server say?", "refused", "refused", /550 scripted 550/, /rejected:recipient/),
  { ...why("Did ghost get the news?", "topic", "ghost", /Subscriber with id ghost not found/), isRefused: true },
  {
    ...using(
      "What became of event X?",
      "explain",
      { subscriberId: "ada", transactionId: "X" },
      /TRANSACTION_NOT_FOUND/,
    ),
    isRefused: true,
  },
  {
    ...why("Does another environment know the invoice?", "invoice-ada", "ada", /TRANSACTION_NOT_FOUND/),
    in: "elsewhere",
    isRefused: true,
  },
  using(
    "Why does retired send nothing?",
    "explain",
    { subscriberId: "ada", workflowId: "retired" },
    /refused\./,
    /The workflow was off when the event came/,
  ),
  using(
    "When may we write to dan?",
    "find_person",
    { query: "dan" },
    /only in these hours: monday 09:00 AM to 05:00 PM/,
    /Time zone: UTC/,
  ),
  using(
    "Can cleo get mail?",
    "find_person",
    { query: "cleo@example.com" },
    /The email address "cleo@example\.com" is suppressed since .*: manual/,
  ),
  using("What has fay turned off?", "find_person", { query: "fay" }, /Turned off for everything: email/),
  {
    ...using("Who is zoe?", "find_person", { query: "zoe" }, /Nobody in this environment matches "zoe"/),
    isRefused: true,
  },
  using(
    "What did ada's invoice say?",
    "show_run",
    { transactionId: events["invoice-ada"], withContent: true },
    /^\| <p>Please pay 7<\/p>$/m,
    /"Your invoice"/,
    /code message_sent/,
  ),
  using(
    "What failed today?",
    "list_activity",
    { outcome: "failed" },
    /^2 events/,
    /"INV-90" to refused/,
    /"INV-3" to cleo/,
  ),
  using("Who was invoice INV-4 for?", "list_activity", { search: "INV-4" }, /^1 event,/, /to dan, expanded, 1 pending/),
  using(
    "Who would get news of the south?",
    "dry_run",
    { workflowId: "announce", topicKey: "news", payload: { area: "south" } },
    /Person gus: reached/,
    /Person hal: reached/,
    /Not reached: ina/,
  ),
  using(
    "Is the mail sent if the bell was read?",
    "simulate",
    { workflowId: "nudge", subscriberId: "ada", isRead: true },
    /email would not be sent: it is skipped when steps\.bell\.read is true/,
  ),
  using(
    "And if it was not read?",
    "simulate",
    { workflowId: "nudge", subscriberId: "ada" },
    /email would be sent through nodemailer/,
  ),
  using(
    "How does the invoice read for 42?",
    "preview_content",
    { workflowId: "invoice", stepId: "email", payload: { amount: 42 } },
    /^\| Please pay 42$/m,
  ),
  using(
    "What is wrong with the text of broken?",
    "preview_content",
    { workflowId: "broken", stepId: "email" },
    /Error in body, line 1: "undefined filter: nosuch"/,
  ),
  using(
    "Which workflows are off?",
    "list_workflows",
    { status: "INACTIVE" },
    /^1 workflow fits/,
    /retired \("retired"\): INACTIVE/,
  ),
  using(
    "How long does the digest collect?",
    "read_workflow",
    { workflowId: "collect" },
    /"unit": "hours"/,
    /"amount": 1$/m,
  ),
  {
    ...using(
      "Which mails were given up, and why?",
      "dead_letters",
      {},
      /^2 open dead letters/,
      /2 of integration locked \(email\), auth: .*535/,
      /person kim/,
    ),
    in: "outage",
  },
  { ...using("Is anything wrong?", "system_health", {}, /2 open dead letters/), in: "outage" },
  using(
    "Does everything flow?",
    "system_health",
    {},
    /Oldest event of this environment in the queue: 0 s/,
    /No circuit breaker of an integration is open/,
    /0 open dead letters/,
  ),
];

test("there are thirty questions or more, about every tool that reads", () => {
  assert.ok(questions.length >= 30);
  assert.equal(new Set(questions.map(({ tool }) => tool)).size, 11);
});

for (const { ask, tool, with: input, facts, in: where = "assistant", isRefused } of questions)
  test(ask, async () => {
    const text = await day[where][isRefused ? "refusal" : "ask"](tool, input);
    for (const fact of facts) assert.match(text, fact);
    assert.ok(text.length <= 20_000);
    assert.ok(!text.includes(secretPassword));
  });
