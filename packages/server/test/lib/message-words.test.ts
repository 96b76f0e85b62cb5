// The words that the service puts into messages: complete in every language, for every number, and translated.
import assert from "node:assert/strict";
import { test } from "node:test";
import { pageWords } from "../../src/http/pages/words/words.ts";
import { languageOf, languages } from "../../src/lib/words/languages.ts";
import { countText, listText, messageWords } from "../../src/lib/words/message-words.ts";

test("every language of the pages has them, and no other", () => {
  assert.equal(languages.length, 26);
  assert.deepEqual(Object.keys(messageWords).sort(), [...languages].sort());
  assert.deepEqual(Object.keys(pageWords).sort(), [...languages].sort());
  for (const [language, words] of Object.entries(messageWords)) {
    assert.deepEqual(Object.keys(words), Object.keys(messageWords.en), language);
    for (const text of [words.unsubscribe, words.preferences]) assert.notEqual(text.trim(), "", language);
  }
});

test("every number has its form, with the number in it unless the word says it", () => {
  for (const language of languages) {
    const categories = new Intl.PluralRules(language.replace("_", "-")).resolvedOptions().pluralCategories;
    for (const kind of ["notifications", "others"] as const) {
      const forms = messageWords[language][kind];
      for (const name of Object.keys(forms)) assert.ok(categories.includes(name as never), `${language} ${name}`);
      for (const count of [0, 1, 2, 3, 4, 5, 11, 20, 21, 22, 25, 100, 101, 1_000_000]) {
        const text = countText(language, kind, count);
        assert.doesNotMatch(text, /[{}]|undefined/, `${language} ${count}`);
        assert.ok(text.includes(String(count)) || count === 1 || count === 2, `${language} ${count}: ${text}`);
      }
    }
  }
});

test("nothing is left in English, and scripts are those of the language", () => {
  const { en, ...others } = messageWords;
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
  for (const [language, words] of Object.entries(others)) {
    assert.notEqual(words.unsubscribe, en.unsubscribe, language);
    assert.notEqual(words.preferences, en.preferences, language);
    assert.notEqual(words.others.other, en.others.other, language);
    const { notifications, others: rest } = words;
    const all = [words.unsubscribe, words.preferences, ...Object.values(notifications), ...Object.values(rest)];
    for (const text of all) if (scripts[language]) assert.match(text, scripts[language], `${language} ${text}`);
  }
});

const sentences: [Parameters<typeof listText>[0], string, string][] = [
  ["en", "5 notifications", "Ada, Bob and 3 others"],
  ["de", "5 Benachrichtigungen", "Ada, Bob und 3 weitere"],
  ["pl", "5 powiadomień", "Ada, Bob i jeszcze 3"],
  ["pt_BR", "5 notificações", "Ada, Bob e mais 3"],
  ["ar", "5 إشعارات", "Ada وBob و3 آخرون"],
  ["ja", "5件の通知", "Ada、Bob、ほか3件"],
];
for (const [language, count, list] of sentences)
  test(`summaries in ${language}`, () => {
    assert.equal(countText(language, "notifications", 5), count);
    assert.equal(listText(language, ["Ada", "Bob"], 3), list);
    assert.equal(listText(language, ["Ada"], 0), "Ada");
    assert.equal(listText(language, [], 0), "");
  });

test("a locale finds its language by region, script and old name, or has none", () => {
  const found = ["de_AT", "pt-br", "pt_PT", "zh_Hant_TW", "zh_HK", "zh", "no", "iw", "is_IS", "xx", "", null];
  assert.deepEqual(found.map(languageOf), [
    "de",
    "pt_BR",
    "pt",
    "zh_TW",
    "zh_TW",
    "zh_CN",
    "nb",
    "he",
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});
