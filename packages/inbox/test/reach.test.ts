// Rules of the widget that need no browser: where the panel is, which dates a snooze may have, hours, groups, and the
// words.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { Preference } from "../src/client/types.ts";
import { loadWords } from "../src/extras/load-words.ts";
import { groupByTag } from "../src/later/groups.ts";
import { nextHours } from "../src/later/hours.ts";
import { laterLabels } from "../src/later/later-labels.ts";
import { snoozeRange, toFieldDate } from "../src/later/snooze-range.ts";
import { decidePlace, type Row, type Side } from "../src/ui/decide-place.ts";
import { englishLabels } from "../src/ui/labels.ts";

describe("the panel", () => {
  const bell = (left: number, top: number) => ({ left, top, right: left + 40, bottom: top + 40 });
  const place = (anchor: ReturnType<typeof bell>, row: Row = "auto", side: Side = "auto", isRtl = false) => {
    const popover = { width: 420, height: 600 };
    const found = decidePlace({ anchor, popover, window: { width: 1280, height: 800 }, gap: 6 }, row, side, isRtl);
    const isApart = found.top >= anchor.bottom || found.top + found.height <= anchor.top;
    assert.ok(isApart, `never over its bell: ${JSON.stringify(found)}`);
    assert.ok(found.left >= 8 && found.left + 420 <= 1272 && found.top >= 8 && found.top + found.height <= 792);
    return found;
  };

  test("opens on the side with room, and shrinks where neither has enough", () => {
    assert.deepEqual(place(bell(1200, 10)), { left: 820, top: 56, height: 600 });
    assert.deepEqual(place(bell(40, 740)), { left: 40, top: 134, height: 600 });
    assert.deepEqual(place(bell(600, 300)), { left: 600, top: 346, height: 446 }, "below, which is larger");
    assert.deepEqual(place(bell(600, 450)), { left: 600, top: 8, height: 436 }, "above, which is larger");
  });

  test("opens where the page wants it, in both directions of writing, unless there is hardly any room", () => {
    assert.equal(place(bell(600, 450), "bottom", "end").top, 496);
    assert.equal(place(bell(600, 450), "bottom", "start").left, 600);
    assert.equal(place(bell(600, 450), "bottom", "end").left, 220);
    assert.equal(place(bell(600, 450), "bottom", "start", true).left, 220);
    assert.equal(place(bell(600, 400), "top", "start").top, 8);
    assert.equal(place(bell(600, 100), "top", "start").top, 146, "86 px above are too few");
  });
});

test("a date of one's own for a snooze is three minutes to the limit ahead", () => {
  const { from, to } = snoozeRange(new Date(2026, 4, 3, 10, 0, 20).getTime(), 24);
  assert.deepEqual([toFieldDate(from), toFieldDate(to)], ["2026-05-03T10:04", "2026-05-04T10:00"]);
});

test("further hours of a day begin an hour after the last ones", () => {
  const after = (end: string) => nextHours([{ start: "09:00 AM", end }]);
  assert.deepEqual(after("06:00 PM"), { start: "07:00 PM", end: "09:00 PM" });
  assert.deepEqual(after("11:30 PM"), { start: "09:59 PM", end: "11:59 PM" });
});

test("preferences are grouped by the first tag, those without one last", () => {
  const entry = (name: string, tags?: string[]): Preference => ({
    level: "template",
    enabled: true,
    channels: {},
    workflow: { id: name, identifier: name, name, critical: false, tags },
  });
  const groups = groupByTag([entry("a"), entry("b", ["team", "x"]), entry("c", ["billing"]), entry("d", ["team"])]);
  const names = groups.map(({ tag, entries }) => [tag, ...entries.map(({ workflow }) => workflow!.name)]);
  assert.deepEqual(names, [
    ["billing", "c"],
    ["team", "b", "d"],
    [null, "a"],
  ]);
  assert.equal(groupByTag([entry("a"), entry("b")]).length, 1);
});

describe("words", () => {
  const folder = join(import.meta.dirname, "../src/words");
  const languages = readdirSync(folder);
  /** Every text of a set of words, by its path; functions with the counts that have their own forms. */
  function textsOf(value: unknown, path = ""): [string, string][] {
    if (typeof value === "string") return [[path, value]];
    if (typeof value === "function")
      return [0, 1, 2, 3, 5, 21, 200].flatMap((count) => textsOf(value(count, "B"), `${path}(${count})`));
    return Object.entries(value as object).flatMap(([name, one]) => textsOf(one, `${path}.${name}`));
  }
  const english = new Map(textsOf({ ...englishLabels, ...laterLabels }));

  test("there are 26 languages", () => assert.equal(languages.length + 1, 26));

  test("a locale finds its own words, those of its language, or none", async () => {
    const titleOf = async (locale: string) => (await loadWords(locale))?.loading;
    assert.equal(await titleOf("pt-PT"), "A carregar");
    assert.equal(await titleOf("pt-BR"), "Carregando");
    assert.equal(await titleOf("zh-Hant-HK"), "載入中");
    assert.equal(await titleOf("zh"), "正在加载");
    assert.equal(await titleOf("nn-NO"), "Laster inn");
    assert.equal(await titleOf("nl-BE"), await titleOf("nl"));
    assert.equal(await loadWords("tlh"), null);
  });

  for (const file of languages) {
    test(`${file}: every text is there, with the values that it is given`, async () => {
      const { default: words } = (await import(join(folder, file))) as { default: object };
      const texts = new Map(textsOf(words));
      for (const [path, text] of english) {
        const own = texts.get(path);
        assert.equal(own === "", text === "", `${path} of ${file}: ${own}`);
        if (/scheduleZone|snoozedUntil/.test(path)) assert.match(own!, /\d/, path);
        if (path === ".bell(200)" || path === ".newMessages(200)") assert.match(own!, /99\+/, path);
      }
      const same = [...english].filter(([path, text]) => texts.get(path) === text && text.length > 12);
      assert.deepEqual(
        same.filter(([path]) => path !== ".title" && path !== ".bell(0)"),
        [],
        "nothing is left in English",
      );
    });
  }
});
