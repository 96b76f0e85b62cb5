// `t.<key>` in templates, and what else a template may use of a run.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { RenderError, render } from "../../../src/pipeline/render/liquid.ts";
import { translator } from "../../../src/pipeline/render/translate.ts";
import { layoutScope, templateScope, textsFor } from "../../../src/pipeline/rules/scope.ts";
import type { Facts, Run } from "../../../src/pipeline/run/run.ts";

const page = (locale: string, content: Record<string, unknown>) => ({ locale, content });
const roots = { subscriber: { firstName: "<Ada>" }, payload: { count: 3, items: ["a", "b"], key: "hello" } };
const pages = [
  page("en_US", { hello: "Hello", bye: { now: "Bye", later: "Later" }, list: ["x", "y"], "flat.key": "Flat" }),
  page("zh", { hello: "zh", only: { zh: "zh only" } }),
  page("zh_Hant", { hello: "zh-Hant" }),
  page("de_DE", {
    hello: "Hallo {{ subscriber.firstName }}",
    bye: { now: "Tschüss" },
    items: { one: "{{ count }} Ding", other: "{{ count }} Dinge", zero: "nichts" },
  }),
  page("pl", {
    items: { one: "{{ count }} rzecz", few: "{{ count }} rzeczy", many: "{{ count }} rzeczy!", other: "?" },
  }),
];
const show = (template: string, locale: string | null, texts = pages, target: "text" | "html" = "text") =>
  render(template, { ...roots, t: textsFor(texts, locale, roots) }, target);

describe("texts", () => {
  test("the subscriber's locale, less of it, the default, the key itself: for each key", () => {
    const table: [locale: string | null, hello: string][] = [
      ["de_DE", "Hallo <Ada>"],
      ["de-de", "Hallo <Ada>"],
      ["zh-Hant-TW", "zh-Hant"],
      ["zh_CN", "zh"],
      ["fr_FR", "Hello"],
      [null, "Hello"],
      ["not a locale", "Hello"],
    ];
    for (const [locale, hello] of table) assert.equal(show("{{ t.hello }}", locale), hello, String(locale));
    assert.equal(show("{{ t.bye.now }} {{ t.bye.later }} {{ t.flat.key }}", "de_DE"), "Tschüss Later Flat");
    assert.equal(show("{{ t.no.such.key }}|{{ t.bye }}|{{ t.hello.more }}|{{ t }}", "de_DE"), "no.such.key|bye||");
    assert.equal(show("{{ t.only.zh }}", "zh-Hant"), "zh only");
    assert.equal(show("{{ t.hello }}", "de_DE", []), "hello");
    const inGerman = translator({ translations: pages, locale: "fr", defaultLocale: "de-DE", render: (text) => text });
    assert.equal(render("{{ t.hello }}", { t: inGerman }, "text"), "Hallo {{ subscriber.firstName }}");
  });

  test("a key may be computed, pass filters and conditions; texts are escaped in html like any value", () => {
    assert.equal(show("{{ t[payload.key] | upcase }}{% if t.none %}!{% endif %}", null), "HELLO!");
    assert.equal(show("{% for word in t.list %}{{ word }}{% endfor %}", "de_DE"), "xy");
    assert.equal(show("{{ t.hello }}", "de_DE", pages, "html"), "Hallo &lt;Ada&gt;");
    assert.equal(show("{{ t.size }} {{ t.first }} {{ t.last }}", null), "size first last");
  });

  test("plural forms of the language; zero for none in every language", () => {
    const forms = (locale: string) =>
      [0, 1, 2, 5, 22].map((count) => show(`{{ t.items | plural: ${count} }}`, locale)).join(", ");
    assert.equal(forms("de_DE"), "nichts, 1 Ding, 2 Dinge, 5 Dinge, 22 Dinge");
    assert.equal(forms("pl"), "0 rzeczy!, 1 rzecz, 2 rzeczy, 5 rzeczy!, 22 rzeczy");
    assert.equal(show("{{ t.items | plural: payload.items }}", "de_DE"), "2 Dinge");
    assert.equal(show("{{ t.items | plural: payload.none }}{{ t.nope | plural: 2 }}", "de_DE"), "nichtsnope");
    assert.equal(show("{{ t.hello | plural: 2 }}{{ 'x' | plural: 2 }}", null), "Hellox");
    const odd = [page("xx", { items: { other: "o{{ count }}" } }), page("en_US", { items: { one: 5 } })];
    assert.equal(show("{{ t.items | plural: 1 }}", "xx", odd), "o1");
    assert.equal(show("{{ t.items | plural: 1 }}", null, odd), "items");
  });

  test("the words of pluralize may be keys of texts", () => {
    const words = [
      page("en_US", { item: { one: "item", many: "items" } }),
      page("de_DE", { item: { one: "Ding", many: "Dinge von {{ subscriber.firstName }}" } }),
    ];
    const write = (count: unknown, locale: string | null, target: "text" | "html" = "text", more = "") =>
      show(`{{ ${count} | pluralize: 't.item.one', 't.item.many'${more} }}`, locale, words, target);
    assert.deepEqual([write(1, "de_DE"), write(2, null)], ["1 Ding", "2 items"]);
    assert.equal(write("payload.items", "de_DE", "html"), "2 Dinge von &lt;Ada&gt;");
    assert.equal(write(3, null, "text", ", 'false'"), "items");
    assert.equal(show("{{ 2 | pluralize: t.item.one, t.item.many }}", null, words), "2 items");
    assert.equal(show("{{ 2 | pluralize: 't.item.none', 't.item.none' }}", null, words), "2 item.none");
    assert.equal(show("{{ 2 | pluralize: 'a', 't. b' }} {{ 2 | pluralize: 'a', 't.' }}", null, words), "2 t. b 2 t.");
    assert.equal(render("{{ 2 | pluralize: 't.a', 't.b' }}", roots, "text"), "2 t.b", "without texts, a word");
  });

  test("texts that call texts, run for ever or do not parse; keys that are members of every object", () => {
    const hostile = [
      page("en_US", {
        self: "[{{ t.self }}{{ t.other }}]",
        bomb: "{% for i in (1..100000000) %}x{% endfor %}",
        broken: "{{ a",
        file: "{% include 'x' %}",
      }),
    ];
    assert.equal(show("{{ t.self }}", null, hostile), "[]");
    for (const key of ["bomb", "broken", "file"]) {
      assert.throws(() => show(`{{ t.${key} }}`, null, hostile), RenderError, key);
    }
    const own = JSON.parse('{"__proto__": {"x": "y"}, "a": "A"}') as Record<string, unknown>;
    assert.equal(show("{{ t.a.constructor }}{{ t.x }}{{ t.hasOwn }}", null, [page("en_US", own)]), "xhasOwn");
    for (const key of ["constructor", "__proto__", "toString", "hasOwnProperty", "liquidMethodMissing"]) {
      try {
        assert.doesNotMatch(show(`{{ t.${key} }}`, null), /function|class|native/, key);
      } catch (error) {
        assert.ok(error instanceof RenderError, key);
      }
    }
  });
});

describe("scope of a run", () => {
  const job = { status: "completed", output: null, details: [], newDetails: [] };
  const run = (isTranslationEnabled: boolean) =>
    ({
      environmentId: "e",
      event: { payload: { a: 1 }, tenant: "acme" },
      version: { workflowId: "w", definition: { workflowId: "flow", name: "Flow", tags: [], isTranslationEnabled } },
      subscriber: { subscriber_id: "ada", locale: "de_DE" },
      actor: null,
      contextKeys: ["team:red"],
      jobs: [
        { ...job, id: "j1", step: { type: "digest", stepId: "digest" } },
        { ...job, id: "j2", step: { type: "email", stepId: "mail" } },
        { ...job, id: "j3", step: { type: "in_app", stepId: "later" }, status: "pending" },
      ],
    }) as unknown as Run;
  const now = new Date();
  const events = ["Ada", "Bob", "Cy"].map((name) => ({ id: name, time: "t", payload: { name } }));
  const facts = (digest = { events, eventCount: 3 }) =>
    ({
      defaultTimezone: "UTC",
      contexts: new Map([["e", new Map([["team:red", { size: 5 }]])]]),
      variables: new Map(),
      brands: { environments: new Map(), contexts: new Map() },
      digests: new Map([["j1", digest]]),
      marks: new Map(),
      tenants: new Map([["e", new Map([["acme", { name: "Acme", data: { plan: "pro" } }]])]]),
      translations: new Map([
        ["w", [page("de_DE", { hi: "Hallo {{ payload.a }} {{ tenant.name }}" })]],
        ["l", [page("de_DE", { hi: "Rahmen {{ payload.a }}{{ t.hi }}" })]],
      ]),
    }) as unknown as Facts;

  test("all roots, and the summaries of a digest", () => {
    const of = (template: string, given = facts(), isTranslated = false) =>
      render(template, templateScope({ run: run(isTranslated), facts: given, now }), "text");
    assert.equal(
      of("{{ payload.a }} {{ tenant.data.plan }} {{ context.team.data.size }} {{ workflow.name }}"),
      "1 pro 5 Flow",
    );
    assert.equal(of("{{ steps.mail.status }}{{ steps.later.read }}{{ actor.email }}"), "sent");
    assert.equal(
      of("{{ steps.digest.countSummary }}: {{ steps.digest.sentenceSummary }}"),
      "3 notifications: Ada, Bob and 1 other",
    );
    assert.equal(of("{{ steps.digest.sentenceSummary }}", facts(), true), "Ada, Bob und 1 weitere");
    const one = facts({ events: [{ id: "x", time: "t", payload: {} as { name: string } }], eventCount: 1 });
    assert.equal(
      of("{{ steps.digest.countSummary }}, {{ steps.digest.sentenceSummary }}", one),
      "1 notification, 1 notification",
    );
  });

  test("texts of the workflow when it is translated; of the layout in the layout", () => {
    const scope = templateScope({ run: run(true), facts: facts(), now });
    assert.equal(render("{{ t.hi }} {{ t.none }}", scope, "text"), "Hallo 1 Acme none");
    assert.equal(render("[{{ t.hi }}]", templateScope({ run: run(false), facts: facts(), now }), "text"), "[]");
    const inLayout = (is_translation_enabled: boolean) =>
      render("[{{ t.hi }}]", layoutScope({ id: "l", is_translation_enabled }, run(true), facts(), scope), "text");
    assert.equal(inLayout(true), "[Rahmen 1]");
    assert.equal(inLayout(false), "[]");
  });
});
