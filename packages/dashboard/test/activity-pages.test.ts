// How pages of events become a list, without a browser.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { parseSearch, stringifySearch } from "../src/app/search-text.ts";
import { labelOf } from "../src/outcomes/event-label.ts";
import {
  type ActivityList,
  appendPage,
  countNew,
  type ListKind,
  mergeNewest,
  startList,
} from "../src/screens/activity/activity-pages.ts";
import type { ActivityPage, ActivityRow } from "../src/screens/activity/rows.ts";

/** The id of an event that was accepted at this second. */
const idAt = (second: number): string => {
  const hex = (second * 1000).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
};
const row = (second: number, verdict = ""): ActivityRow => ({
  id: idAt(second),
  transactionId: String(second),
  workflowName: "",
  time: "",
  outcome: "delivered",
  verdict,
  channels: [],
  recipients: 1,
  isCapped: false,
});
const timeAt = (second: number) => new Date(second * 1000).toISOString();
const secondsOf = ({ rows }: { rows: readonly ActivityRow[] }) =>
  rows.map(({ transactionId }) => Number(transactionId));

type PageOptions = Partial<Omit<ActivityPage, "rows" | "scannedTo" | "scannedFrom">> & { to?: number; from?: number };
const pageOf = (seconds: number[], { next = null, to, from }: PageOptions = {}): ActivityPage => ({
  rows: seconds.map((second) => row(second)),
  next,
  scannedTo: to === undefined ? undefined : timeAt(to),
  scannedFrom: from === undefined ? undefined : timeAt(from),
});

describe("the newest page", () => {
  type Case = [
    name: string,
    kind: ListKind,
    before: ActivityList,
    page: ActivityPage,
    rows: number[],
    next: string | null,
  ];
  const search = appendPage(
    startList(pageOf([], { next: "a", to: 90, from: 100 })),
    pageOf([40], { next: "b", to: 30 }),
  );
  const all = startList(pageOf([100, 99, 98], { next: "c" }));
  const cases: Case[] = [
    [
      "keeps a find that is older than what it looks at",
      "other",
      search,
      pageOf([], { next: "x", to: 93, from: 103 }),
      [40],
      "b",
    ],
    ["adds a new find", "other", search, pageOf([102], { next: "x", to: 93, from: 103 }), [102, 40], "b"],
    ["leaves nothing to look for when it has seen all", "other", search, pageOf([40]), [40], null],
    [
      "goes back to what came too fast to be looked at, and keeps the finds",
      "other",
      search,
      pageOf([], { next: "gap", to: 150, from: 160 }),
      [40],
      "gap",
    ],
    ["continues a list of all events", "all", all, pageOf([101, 100, 99], { next: "y" }), [101, 100, 99, 98], "c"],
    [
      "begins a list of all events anew behind a gap",
      "all",
      all,
      pageOf([203, 202, 201], { next: "y" }),
      [203, 202, 201],
      "y",
    ],
    [
      "drops what no longer has the outcome, where it has looked",
      "outcome",
      startList(pageOf([100, 95, 40], { next: "d", to: 30, from: 100 })),
      pageOf([95], { next: "x", to: 90, from: 103 }),
      [95, 40],
      "d",
    ],
  ];
  for (const [name, kind, before, page, rows, next] of cases) {
    test(name, () => {
      const merged = mergeNewest(before, page, kind);
      assert.deepEqual([secondsOf(merged), merged.next], [rows, next]);
    });
  }

  test("a gap is looked at, then the search goes on where it was", () => {
    const apart = mergeNewest(search, pageOf([], { next: "gap", to: 150, from: 160 }), "other");
    const half = appendPage(apart, pageOf([120], { next: "gap2", to: 110 }));
    assert.deepEqual([secondsOf(half), half.next], [[120, 40], "gap2"]);
    const again = mergeNewest(half, pageOf([], { next: "newer", to: 190, from: 200 }), "other");
    const closed = appendPage(again, pageOf([120], { next: "gap3", to: 95 }));
    assert.deepEqual([secondsOf(closed), closed.next, closed.gap], [[120, 40], "b", undefined]);
  });

  test("new rows are counted as far as they are known", () => {
    assert.deepEqual(countNew(all, pageOf([101, 100, 99], { next: "y" })), { count: 1, isMore: false });
    assert.deepEqual(countNew(all, pageOf([203, 202, 201], { next: "y" })), { count: 3, isMore: true });
    assert.deepEqual(countNew(all, pageOf([100, 99, 98], { next: "y" })), { count: 0, isMore: false });
  });
});

/** The next of a row of numbers that look random, the same in every run. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

test("whatever the flow, a search shows every find that a request has had, once, newest first, and in the end all of them", () => {
  for (let seed = 1; seed <= 200; seed++) {
    const random = randomFrom(seed);
    const scan = 5 + random(20);
    const limit = 1 + random(5);
    let now = 200;
    const isFind = (second: number) => (second * 7919 + seed) % 13 === 0;
    /** The service: examines `scan` events below the cursor, an event a second. */
    const ask = (cursor: string | null): ActivityPage => {
      const below = cursor === null ? now + 1 : Number(cursor);
      const rows: number[] = [];
      let at = below - 1;
      for (let looked = 0; looked < scan && at > 0 && rows.length < limit; looked++, at--)
        if (isFind(at)) rows.push(at);
      const isFull = rows.length === limit;
      return pageOf(rows, {
        next: at > 0 ? String(isFull ? rows.at(-1)! : at + 1) : null,
        to: at > 0 && !isFull ? at + 1 : undefined,
        from: below - 1,
      });
    };
    const had = new Set<number>();
    const take = (page: ActivityPage) => {
      for (const second of secondsOf(page)) had.add(second);
      return page;
    };
    let list = startList(take(ask(null)));
    for (let step = 0; step < 60; step++) {
      now += random(random(4) === 0 ? scan * 3 : 4);
      list =
        random(2) === 0 || list.next === null
          ? mergeNewest(list, take(ask(null)), "other")
          : appendPage(list, take(ask(list.next)));
      assert.deepEqual(
        secondsOf(list),
        [...had].sort((a, b) => b - a),
        `seed ${seed}, step ${step}`,
      );
    }
    list = mergeNewest(list, ask(null), "other");
    for (let step = 0; list.next !== null; step++) {
      assert.ok(step < 500, `seed ${seed}: the search ends`);
      list = appendPage(list, ask(list.next));
    }
    const every = Array.from({ length: now }, (_, index) => now - index).filter(isFind);
    assert.deepEqual(secondsOf(list), every, `seed ${seed}`);
  }
});

test("a search key is a label", () => {
  const cases = { order: "Order 7", "invoice.number": "Invoice number 7", orderId: "Order id 7", po_no: "Po no 7" };
  for (const [key, label] of Object.entries(cases)) assert.equal(labelOf({ key, value: "7" }), label);
});

test("searches stand in the address as they are typed, and are read as they were", () => {
  for (const [search, text] of [
    [{ q: "4711" }, "?q=4711"],
    [{ q: "007" }, "?q=007"],
    [{ q: "true" }, "?q=true"],
    [{ q: "a b" }, "?q=a+b"],
    [{ q: "1e5", page: 2 }, "?q=1e5&page=2"],
    [{ q: '"x"' }, "?q=%22%5C%22x%5C%22%22"],
    [{ q: undefined }, ""],
  ] as const) {
    assert.equal(stringifySearch(search), text);
    assert.deepEqual(parseSearch(text), JSON.parse(JSON.stringify(search)));
  }
  assert.deepEqual(parseSearch("?q=%224711%22"), { q: "4711" }, "of older links");
});
