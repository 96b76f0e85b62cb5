// The pure parts of the client: the list with changes on their way, the parser of events, addresses, times.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "@tidings/testkit/properties";
import {
  adjustCounts,
  appendPage,
  applyEvent,
  emptyList,
  isSame,
  isShownBy,
  type List,
  type Patch,
  refreshItems,
  replaceItems,
  showHeld,
  visibleItems,
} from "../src/client/list.ts";
import { createEventParser, type StreamEvent, toLiveEvent } from "../src/client/parse-events.ts";
import type { InboxNotification, LiveEvent } from "../src/client/types.ts";
import { englishLabels, mergeLabels } from "../src/ui/labels.ts";
import { fromFieldTime, relativeTime, snoozeTimes, toFieldTime } from "../src/ui/time.ts";
import { isSafeUrl } from "../src/ui/urls.ts";

const item = (id: string, changes: Partial<InboxNotification> = {}): InboxNotification => ({
  id,
  body: "",
  isRead: false,
  isSeen: false,
  isArchived: false,
  isSnoozed: false,
  createdAt: "2026-01-01T00:00:00Z",
  severity: "none",
  ...changes,
});

const ids = (list: List, patches: Patch[] = []) => visibleItems(list, patches, {}).notifications.map(({ id }) => id);

const anyItem = fc
  .record({ id: fc.constantFrom("a", "b", "c", "d", "e"), isRead: fc.boolean(), isArchived: fc.boolean() })
  .map(({ id, ...changes }) => item(id, changes));
const anyEvent: fc.Arbitrary<LiveEvent> = fc.oneof(
  anyItem.map((notification) => ({ kind: "notification" as const, notification })),
  anyItem.map((notification) => ({ kind: "changed" as const, notification })),
  fc.subarray(["a", "b", "c"]).map((gone) => ({ kind: "removed" as const, ids: gone })),
);

test("events may come twice: the list is the same, sorted, with every id once", () => {
  fc.assert(
    fc.property(fc.array(anyItem), fc.array(anyEvent), fc.boolean(), (items, events, isHolding) => {
      let list = replaceItems({ items, hasMore: false });
      for (const event of events) {
        const once = applyEvent(list, event, isHolding);
        assert.deepEqual(applyEvent(once, event, isHolding), once);
        list = once;
      }
      const all = list.items.map(({ id }) => id);
      assert.deepEqual(all, [...new Set(all)].sort().reverse());
      assert.ok([...list.held].every((id) => all.includes(id)));
    }),
  );
});

test("a change that is taken back leaves no trace", () => {
  fc.assert(
    fc.property(fc.array(anyItem), (items) => {
      const list = replaceItems({ items, hasMore: false });
      const archive: Patch = { applies: ({ id }) => id === "a", apply: (one) => ({ ...one, isArchived: true }) };
      const remove: Patch = { applies: ({ id }) => id === "b", apply: () => null };
      const before = ids(list);
      const during = ids(list, [archive, remove]);
      assert.ok(!during.includes("a") && !during.includes("b"));
      assert.deepEqual(ids(list, []), before);
    }),
  );
});

test("pages are appended, and a message older than what is loaded waits for its page", () => {
  let list = replaceItems({ items: [item("e"), item("d")], hasMore: true });
  list = applyEvent(list, { kind: "changed", notification: item("a") }, false);
  assert.deepEqual(ids(list), ["e", "d"]);
  list = appendPage(list, { items: [item("c"), item("b")], hasMore: false });
  list = applyEvent(list, { kind: "changed", notification: item("a") }, false);
  assert.deepEqual(ids(list), ["e", "d", "c", "b", "a"]);
});

test("what is read again replaces what it covers, keeps what is older, and leaves no hole", () => {
  const page = (text: string, hasMore: boolean) => ({ items: [...text].map((id) => item(id)), hasMore });
  const again = (loaded: string, read: string, hasMore = true, isAll = false) => {
    const list = replaceItems(page(loaded, !isAll));
    const next = refreshItems(list, page(read, hasMore));
    return `${ids(next).join("")} ${next.cursor}`;
  };
  assert.equal(again("zyxwv", "zxw"), "zxwv v", "y has gone; v was not read");
  assert.equal(again("zyxw", "zyxwvu"), "zyxw w", "what was not loaded waits for its page");
  assert.equal(again("yx", "zyx"), "zyx x", "z is new");
  assert.equal(again("dcb", "zyx"), "zyx x", "too many are new: what lies between is not known");
  assert.equal(again("zyx", "zy", false), "zy null", "there is nothing older");
  assert.equal(again("zyx", "zy", true, true), "zyx null");
  assert.equal(again("zyx", "zyxw", true, true), "zyxw w", "older ones have come back");
  assert.equal(again("", "zyx"), "zyx x");
  assert.equal(again("zyx", "", false), " null");
  const list = replaceItems(page("zy", false));
  const next = refreshItems(list, { items: [item("z"), item("y", { isRead: true })], hasMore: false });
  assert.equal(next.items[0], list.items[0], "the same object");
  assert.equal(next.items[1]!.isRead, true);
});

test("values of the API are compared without regard to the order of their members", () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      const value: unknown = JSON.parse(text);
      const turned = (one: unknown): unknown =>
        Array.isArray(one)
          ? one.map(turned)
          : one && typeof one === "object"
            ? Object.fromEntries(
                Object.entries(one)
                  .reverse()
                  .map(([name, part]) => [name, turned(part)]),
              )
            : one;
      assert.ok(isSame(value, turned(value)));
      assert.ok(!isSame({ value }, { value: { other: value } }) || value === null);
    }),
  );
  assert.ok(
    isSame({ a: null }, {}) && !isSame({ a: 1 }, {}) && !isSame({ a: [1, 2] }, { a: [1] }) && !isSame(null, {}),
  );
});

test("of the words, a page may give some, also of a group", () => {
  const given = { views: { inbox: "Posteingang" }, empty: { inbox: ["Leer"] }, undo: undefined, severity: null };
  const words = mergeLabels(englishLabels, given);
  assert.deepEqual(words.views, { ...englishLabels.views, inbox: "Posteingang" });
  assert.deepEqual(words.empty.inbox, ["Leer", englishLabels.empty.inbox[1]]);
  assert.deepEqual(
    [words.empty.unread, words.undo, words.severity.high],
    [englishLabels.empty.unread, "Undo", "Urgent"],
  );
  const [title] = words.empty.snoozed;
  assert.equal(title, "Nothing snoozed");
  const own = mergeLabels(englishLabels, { newMessages: (count: number) => `${count} neue` });
  assert.equal(own.newMessages(2), "2 neue");
  assert.equal((mergeLabels(englishLabels, { later: "Später" }) as { later?: string }).later, "Später");
  assert.deepEqual(mergeLabels(englishLabels, undefined), englishLabels);
});

test("new messages are held while asked, and shown later", () => {
  const list = applyEvent(
    replaceItems({ items: [item("a")], hasMore: false }),
    { kind: "notification", notification: item("b") },
    true,
  );
  assert.deepEqual([ids(list), visibleItems(list, [], {}).newCount], [["a"], 1]);
  assert.deepEqual(ids(showHeld(list)), ["b", "a"]);
  assert.deepEqual(ids(emptyList), []);
});

test("filters", () => {
  const shown = (filter: object, changes: Partial<InboxNotification>) => isShownBy(filter, item("a", changes));
  assert.ok(shown({}, {}) && !shown({}, { isArchived: true }) && !shown({}, { isSnoozed: true }));
  assert.ok(shown({ archived: true }, { isArchived: true }) && !shown({ archived: true }, {}));
  assert.ok(shown({ snoozed: true }, { isSnoozed: true }) && !shown({ unread: true }, { isRead: true }));
  assert.ok(shown({ tags: ["x", "y"] }, { tags: ["y"] }) && !shown({ tags: ["x"] }, { tags: ["y"] }));
});

test("counts follow a change, never fall below zero, and stay at the limit", () => {
  const counts = { total: 1, severity: { high: 1, medium: 0, low: 0, none: 0 }, unseen: 0 };
  const high = item("a", { severity: "high" });
  assert.equal(adjustCounts(counts, high, { ...high, isRead: true }).severity.high, 0);
  assert.equal(adjustCounts({ ...counts, total: 0 }, high, null).total, 0);
  assert.equal(adjustCounts({ ...counts, total: 100 }, high, null).total, 100);
  assert.deepEqual(adjustCounts(counts, { ...high, isRead: true }, null), counts);
});

test("events are read from chunks of any size", () => {
  const text = ': beat\r\n\nevent: counts\nid: 7.x\ndata: {"a":\ndata: 1}\n\nretry: 3000\n\ndata: plain\n\n';
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), (sizes) => {
      const events: StreamEvent[] = [];
      const retries: number[] = [];
      const parse = createEventParser({ event: (one) => events.push(one), retry: (ms) => retries.push(ms) });
      for (let at = 0, turn = 0; at < text.length; turn++) {
        const size = sizes[turn % sizes.length]!;
        parse(text.slice(at, at + size));
        at += size;
      }
      assert.deepEqual(events, [
        { name: "counts", id: "7.x", data: '{"a":\n1}' },
        { name: "message", id: "7.x", data: "plain" },
      ]);
      assert.deepEqual(retries, [3000]);
    }),
  );
});

test("events of the inbox; what is not complete asks for the list again", () => {
  const read = (name: string, data: object) => toLiveEvent({ name, id: undefined, data: JSON.stringify(data) });
  assert.deepEqual(read("changed", { notification: null }), { kind: "resync" });
  assert.deepEqual(read("removed", { ids: ["a"], count: 2 }), { kind: "resync" });
  assert.deepEqual(read("removed", { ids: ["a"], count: 1 }), { kind: "removed", ids: ["a"] });
  assert.equal(read("later", {}), null);
});

test("addresses: web addresses and relative ones, nothing else", () => {
  for (const url of ["https://a.example/x?y#z", "HTTP://a.example", "/path", "path/x", "?q=1", "#top", "//a.example/x"])
    assert.ok(isSafeUrl(url), url);
  const hostile = [
    "javascript:alert(1)",
    " javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "java\tscript:alert(1)",
    "java\nscript:x",
  ];
  const others = [
    "\u0001javascript:x",
    "data:text/html,x",
    "vbscript:x",
    "file:///etc/passwd",
    "blob:x",
    "mailto:a@b",
    "",
    " ",
    "https:evil",
  ];
  for (const url of [...hostile, ...others]) assert.ok(!isSafeUrl(url), JSON.stringify(url));
  fc.assert(
    fc.property(fc.string(), (text) => {
      const url = isSafeUrl(text) ? URL.parse(text, "https://page.example") : null;
      if (url) assert.match(url.protocol, /^https?:$/, text);
    }),
  );
});

test("times", () => {
  for (const [api, field] of [
    ["12:00 AM", "00:00"],
    ["09:05 AM", "09:05"],
    ["12:30 PM", "12:30"],
    ["11:59 PM", "23:59"],
  ] as const)
    assert.deepEqual([toFieldTime(api), fromFieldTime(field)], [field, api]);
  const now = Date.parse("2026-03-10T12:00:00Z");
  assert.equal(relativeTime("2026-03-10T11:59:30Z", now, "en"), "now");
  assert.equal(relativeTime("2026-03-10T11:55:00Z", now, "en"), "5m ago");
  assert.equal(relativeTime("2026-03-09T11:00:00Z", now, "de"), "gestern");
  assert.equal(relativeTime("2025-03-09T11:00:00Z", now, "en"), "Mar 9, 2025");
  for (let day = 1; day <= 7; day++) {
    const times = snoozeTimes(new Date(2026, 1, day, 12), 24 * 90).map(({ until }) => until.getTime());
    assert.deepEqual(
      times,
      [...new Set(times)].sort((a, b) => a - b),
      "different times, in order",
    );
  }
  assert.deepEqual(snoozeTimes(new Date(), 0), []);
});
