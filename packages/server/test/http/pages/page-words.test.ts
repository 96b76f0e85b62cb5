// The words of the preference page: complete in every language, with the same placeholders, and translated.
import assert from "node:assert/strict";
import { test } from "node:test";
import { acceptedLocales, fill, pageLanguage, pageWords } from "../../../src/http/pages/words/words.ts";

const flat = (words: object): [string, string][] =>
  Object.entries(words).flatMap(([name, value]) =>
    typeof value === "string"
      ? [[name, value] as [string, string]]
      : flat(value).map(([key, text]) => [`${name}.${key}`, text] as [string, string]),
  );

const english = new Map(flat(pageWords.en!));
const placeholders = (text: string) => (text.match(/\{\w+\}/g) ?? []).sort();

/** Words that are the same in several languages. */
const international = /^channels\.(sms|chat|push|email)$/;

test("there are 26 languages, each with every word", () => {
  assert.equal(Object.keys(pageWords).length, 26);
  for (const [name, words] of Object.entries(pageWords)) {
    const own = flat(words);
    assert.deepEqual(
      own.map(([key]) => key),
      [...english.keys()],
      name,
    );
    for (const [key, text] of own) {
      assert.notEqual(text.trim(), "", `${name} ${key}`);
      assert.deepEqual(placeholders(text), placeholders(english.get(key)!), `${name} ${key}`);
    }
  }
});

test("no English is left over, and no language repeats another", () => {
  const seen = new Map<string, string>();
  for (const [name, words] of Object.entries(pageWords)) {
    for (const [key, text] of flat(words)) {
      // "For" is a word of Danish and Norwegian too.
      const isShared = international.test(key) || (key === "forPerson" && (name === "da" || name === "nb"));
      if (name !== "en" && !isShared) assert.notEqual(text, english.get(key), `${name} ${key}`);
      if (!/^(title|goneText|unsubscribedThese)$/.test(key)) continue;
      assert.equal(seen.get(`${key} ${text}`), undefined, `${name} ${key}`);
      seen.set(`${key} ${text}`, name);
    }
  }
  const scripts: Record<string, RegExp> = {
    ru: /\p{Script=Cyrillic}/u,
    uk: /\p{Script=Cyrillic}/u,
    ar: /\p{Script=Arabic}/u,
    he: /\p{Script=Hebrew}/u,
    ja: /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u,
    ko: /\p{Script=Hangul}/u,
    zh_CN: /\p{Script=Han}/u,
    zh_TW: /\p{Script=Han}/u,
  };
  for (const [name, script] of Object.entries(scripts)) {
    for (const [key, text] of flat(pageWords[name]!))
      if (!international.test(key)) assert.match(text, script, `${name} ${key}`);
  }
});

test("a locale finds its words, its language's words, or English", () => {
  const table: [string | null, string, "ltr" | "rtl"][] = [
    ["de_DE", "de", "ltr"],
    ["de-AT", "de", "ltr"],
    ["pt_BR", "pt-BR", "ltr"],
    ["pt_PT", "pt", "ltr"],
    ["zh_Hant_HK", "zh-TW", "ltr"],
    ["zh", "zh-CN", "ltr"],
    ["no", "nb", "ltr"],
    ["ar_EG", "ar", "rtl"],
    ["iw", "he", "rtl"],
    ["tlh", "en", "ltr"],
    ["__proto__", "en", "ltr"],
    [null, "en", "ltr"],
  ];
  for (const [locale, lang, dir] of table) {
    const found = pageLanguage([locale]);
    assert.deepEqual([found.lang, found.dir], [lang, dir], String(locale));
  }
  assert.equal(pageLanguage(["tlh", ...acceptedLocales("xx, fr-CH;q=0.9, en;q=0.8")]).lang, "fr");
  assert.deepEqual(acceptedLocales("*, <script>, de-DE;q=0.5"), ["de-DE"]);
  assert.equal(fill("{name}: {count}", { name: "{count}", count: 2 }), "{count}: 2");
});
