// The sentence about failures above the statistics.
import assert from "node:assert/strict";
import { test } from "node:test";
import { judge, type ProviderFigures } from "../src/screens/statistics/judgement.ts";

const provider = (providerId: string, sent: number, refused: number): ProviderFigures => ({
  providerId,
  channel: "email",
  sent,
  refused,
  failed: refused,
  delivered: 0,
  opened: 0,
  captured: 0,
  failedAttempts: 0,
  skipped: {},
});

const cases: [name: string, providers: ProviderFigures[], ours: number, tone: string, title: RegExp, text?: RegExp][] =
  [
    ["nothing", [], 0, "info", /^Nothing was sent in the last day$/],
    ["no failure", [provider("a", 10, 0)], 0, "good", /^Nothing failed in the last day: 10 messages were sent$/],
    [
      "one provider",
      [provider("a", 1838, 142), provider("b", 900, 0)],
      0,
      "bad",
      /^All failures in the last day come from a: 142 of 1,980 rejected$/,
      /b rejected none of 900/,
    ],
    [
      "ours",
      [provider("a", 10, 0)],
      3,
      "warn",
      /^All 3 failures in the last day happened before a provider was called$/,
    ],
    [
      "mostly one",
      [provider("a", 10, 90), provider("b", 95, 5)],
      5,
      "bad",
      /^Most failures in the last day come from a: 90 of 100 rejected$/,
      /b rejected 5 of 100\. 5 failed before/,
    ],
    [
      "all alike",
      [provider("a", 90, 10), provider("b", 88, 12)],
      0,
      "warn",
      /affect 2 providers equally: b, a$/,
      /rather than to one provider/,
    ],
    [
      "several",
      [provider("a", 90, 10), provider("b", 990, 10)],
      20,
      "bad",
      /^40 failures in the last day have several causes/,
    ],
  ];

for (const [name, providers, ours, tone, title, text] of cases)
  test(`the sentence about failures: ${name}`, () => {
    const sum = (pick: "sent" | "refused") => providers.reduce((total, one) => total + one[pick], 0);
    const totals = { ...provider("", sum("sent"), sum("refused")), failed: sum("refused") + ours };
    const judged = judge(totals, providers, "the last day", ({ providerId }) => providerId ?? "");
    assert.equal(judged.tone, tone);
    assert.match(judged.title, title);
    if (text) assert.match(judged.text ?? "", text);
  });

test("what waits is never called health", () => {
  const now = Date.parse("2026-03-02T18:57:00Z");
  const waiting = {
    count: 5_000,
    oldestAt: "2026-03-02T18:53:00Z",
    providers: [{ channel: "email" as const, providerId: "a", count: 5_000, oldestAt: "2026-03-02T18:53:00Z" }],
  };
  const mail = { ...provider("a", 40, 0), failedAttempts: 6 };
  const judged = judge(mail, [mail], "the last day", ({ providerId }) => providerId ?? "", waiting, now);
  assert.deepEqual(judged, {
    tone: "bad",
    title: "5,000 emails are waiting, the oldest for 4 min",
    text: "6 attempts through a failed.",
  });
  const young = { ...waiting, count: 1, oldestAt: "2026-03-02T18:56:30Z" };
  const { tone, title } = judge(mail, [mail], "the last day", () => "", young, now);
  assert.deepEqual([tone, title], ["warn", "1 email is waiting, the oldest for 30 s"]);
  const none = { ...provider("a", 0, 0), captured: 3 };
  assert.match(
    judge(none, [none], "the last day", () => "").title,
    /^3 messages were captured .* in the last day, and none were sent$/,
  );
});
