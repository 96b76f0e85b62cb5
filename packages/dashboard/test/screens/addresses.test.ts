// What the addresses of lists carry: a link shows the same list again, and an old link still works.
import assert from "node:assert/strict";
import { test } from "node:test";
import { lastFiltersOf, readFilters, rememberFilters } from "../../src/screens/activity/filters.ts";
import { readRunSearch } from "../../src/screens/activity/search.ts";
import { readDeadLettersSearch, readGroupSearch } from "../../src/screens/dead-letters/search.ts";
import { readMailboxSearch } from "../../src/screens/mailbox/search.ts";

test("filters of the activity are read, and what is none is left out", () => {
  assert.deepEqual(readFilters({ outcome: "failed", workflow: "login-code", q: 4711, range: "24h" }), {
    outcome: "failed",
    workflow: "login-code",
    q: "4711",
    range: "24h",
  });
  assert.deepEqual(readFilters({ outcome: "toString", channel: "pigeon", range: "2h", q: "", workflow: {} }), {});
  assert.deepEqual(readFilters({ person: "grace" }), { subscriber: "grace" }, "the name in older links");
  assert.equal(readFilters({ q: "x".repeat(300) }).q?.length, 255);
});

test("each environment remembers the filters that it was left with", () => {
  rememberFilters("one", { outcome: "failed" });
  assert.deepEqual(lastFiltersOf("one"), { outcome: "failed" });
  assert.deepEqual(lastFiltersOf("another"), {});
});

test("a run, a cause and a captured message are found again by their addresses", () => {
  assert.deepEqual(readRunSearch({ person: "grace", page: 1, outcome: "failed" }), {
    subscriber: "grace",
    page: 1,
    outcome: "failed",
  });
  assert.deepEqual(readGroupSearch({ integration: "office", error: "auth", workflow: "small" }), {
    integration: "office",
    error: "auth",
    workflow: "small",
  });
  assert.deepEqual(readGroupSearch({ error: "none of them" }), { integration: "", error: "unknown" });
  assert.deepEqual(readDeadLettersSearch({ tab: "tasks", page: 0 }), { tab: "tasks" });
  assert.deepEqual(readMailboxSearch({ channel: "sms", q: 990012, view: "source" }), {
    channel: "sms",
    q: "990012",
    view: "source",
  });
  assert.deepEqual(readMailboxSearch({ channel: "in_app", view: "raw" }), {}, "in-app messages are not captured");
});
