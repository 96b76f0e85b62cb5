// Files for translators, and languages as people type them.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "@tidings/testkit/properties";
import { localeName, readLocale } from "../src/screens/translations/locales.ts";
import { filledMaster, fromCsv, isMaster, toCsv, withLines } from "../src/screens/translations/text-files.ts";
import { textsOf } from "../src/screens/translations/texts.ts";

const reference = {
  workflows: { order: { subject: "Shipped", button: { open: "Open, now" }, note: 'Say "hi"\nthere' } },
  layouts: { house: { footer: "Bye" } },
};
const german = { workflows: { order: { subject: "Unterwegs", old: "Alt" } } };
const locales = ["en_US", "de_DE"] as const;

test("a new language has every key, with the text of the default language", () => {
  assert.deepEqual(filledMaster(reference, {}), reference);
  assert.deepEqual(filledMaster(reference, german).workflows!.order, {
    ...reference.workflows.order,
    subject: "Unterwegs",
    old: "Alt",
  });
});

test("CSV has both texts, and what is filled in comes back at its place", () => {
  const csv = toCsv(reference, german, locales);
  assert.match(csv, /^\ufefftype,identifier,key,en_US,de_DE\r\n/);
  assert.match(csv, /workflows,order,button\.open,"Open, now",\r\n/);
  assert.deepEqual(fromCsv(csv), [
    { kind: "workflows", id: "order", key: "subject", text: "Unterwegs" },
    { kind: "workflows", id: "order", key: "old", text: "Alt" },
  ]);
  const lines = [{ kind: "workflows" as const, id: "order", key: "button.open", text: "Öffnen" }];
  assert.deepEqual(withLines(lines, german, reference).workflows!.order, {
    ...german.workflows.order,
    button: { open: "Öffnen" },
  });
  assert.deepEqual(fromCsv("type;identifier;key;en_US;de_DE\nlayouts;house;footer;Bye;Tschüss\n"), [
    { kind: "layouts", id: "house", key: "footer", text: "Tschüss" },
  ]);
  for (const bad of ["", "a,b\n1,2", "type,identifier,key,en_US,de_DE\nfiles,x,y,z,w", "{"])
    assert.equal(fromCsv(bad), null);
  for (const bad of [null, [], {}, { other: {} }, { workflows: { a: 3 } }]) assert.equal(isMaster(bad), false);
});

test("any text survives CSV", () => {
  const key = fc.stringMatching(/^[a-z]{1,5}$/);
  const text = fc.string({ minLength: 1, unit: "grapheme" }).filter((one) => !/\r/.test(one));
  fc.assert(
    fc.property(fc.dictionary(key, text, { minKeys: 1 }), (content) => {
      const own = { workflows: { order: content } };
      const lines = fromCsv(toCsv(own, own, locales))!;
      assert.deepEqual(
        new Map(lines.map((line) => [line.key, line.text])),
        new Map([...textsOf(content)].map(([name, one]) => [name, one.text])),
      );
    }),
  );
});

test("languages are typed as codes or names", () => {
  const table: [typed: string, locale: string | null][] = [
    ["de-de", "de_DE"],
    ["German", "de_DE"],
    [" french ", "fr_FR"],
    ["Brazilian Portuguese", "pt_BR"],
    ["zh-hant-tw", "zh_Hant_TW"],
    ["nl", "nl"],
    ["deutsch", null],
    ["english please", null],
    ["", null],
  ];
  for (const [typed, locale] of table) assert.equal(readLocale(typed), locale, typed);
  assert.equal(localeName("not a locale"), undefined);
});
