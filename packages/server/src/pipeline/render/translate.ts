// `t.<key>` in templates: the translations of a workflow or layout in the language of the recipient. Each key is looked
// up in the locales of the fallback chain in order, so an incomplete locale uses texts of the next one; a key without
// any text renders as the key itself. docs/translations.md describes the format.
import { Drop } from "liquidjs";
import { LRUCache } from "lru-cache";
import { isObject, type JsonObject, valueAt } from "../../lib/json.ts";
import { localeChain } from "../../lib/locale.ts";

type LocaleTexts = { locale: string; content: JsonObject };
/** `at`: which text it is, for errors. */
type RenderText = (template: string, values: JsonObject, at: { key: string; locale: string }) => string;

/** `rendered` caches texts by key: a text in a loop is rendered once. */
type Catalog = { locales: LocaleTexts[]; render: RenderText; rendered: Map<string, string> };

/**
 * The texts below a path. A class, because the template engine calls `liquidMethodMissing` only on a Drop: that is how
 * `t.any.missing.key` renders as itself. All members are private, so that no key collides with one.
 */
export class Texts extends Drop {
  readonly #catalog: Catalog;
  readonly #path: string[];

  constructor(catalog: Catalog, path: string[] = []) {
    super();
    this.#catalog = catalog;
    this.#path = path;
  }

  override liquidMethodMissing(key: string | number): unknown {
    return readKey(this.#catalog, [...this.#path, String(key)]);
  }

  override valueOf(): string {
    return this.#path.join(".");
  }

  static plural(texts: Texts, count: unknown): string {
    return pluralForm(texts.#catalog, texts.#path, countOf(count));
  }
}

export function translator(options: {
  translations: readonly LocaleTexts[];
  locale: string | null | undefined;
  defaultLocale: string;
  /** Renders a text with the scope of the template that uses it. */
  render: RenderText;
}): Texts {
  const { translations, locale, defaultLocale, render } = options;
  const locales = localeChain(locale, defaultLocale).flatMap(
    (wanted) => translations.find((texts) => texts.locale === wanted) ?? [],
  );
  return new Texts({ locales, render, rendered: new Map() });
}

/** Nested keys or one dotted key: both are usual in translation files. */
function valueIn({ content }: LocaleTexts, path: string[]): unknown {
  const key = path.join(".");
  return Object.hasOwn(content, key) ? content[key] : valueAt(content, key);
}

function readKey(catalog: Catalog, path: string[]): unknown {
  for (const texts of catalog.locales) {
    const value = valueIn(texts, path);
    if (value === undefined || value === null) continue;
    if (typeof value === "string") return textOf(catalog, { key: path.join("."), locale: texts.locale }, value);
    if (!isObject(value)) return value;
    break;
  }
  return new Texts(catalog, path);
}

function textOf({ rendered, render }: Catalog, at: { key: string; locale: string }, template: string): string {
  let text = rendered.get(at.key);
  if (text === undefined) {
    text = render(template, {}, at);
    rendered.set(at.key, text);
  }
  return text;
}

const pluralRules = new LRUCache<string, Intl.PluralRules>({ max: 200 });

function rulesOf(locale: string): Intl.PluralRules {
  let rules = pluralRules.get(locale);
  if (!rules) {
    const tag = locale.replaceAll("_", "-");
    // A stored locale has a valid form, but the language may not exist.
    rules = new Intl.PluralRules(Intl.PluralRules.supportedLocalesOf(tag).length > 0 ? tag : "en");
    pluralRules.set(locale, rules);
  }
  return rules;
}

/** The plural form for this number in the first locale that has one; `zero` is used for 0 in every language. */
function pluralForm(catalog: Catalog, path: string[], count: number): string {
  for (const texts of catalog.locales) {
    const forms = valueIn(texts, path);
    if (!isObject(forms)) continue;
    const names = [...(count === 0 ? ["zero"] : []), rulesOf(texts.locale).select(count), "other"];
    const form = names.map((name) => valueAt(forms, name)).find((text) => typeof text === "string");
    if (form !== undefined) return catalog.render(form, { count }, { key: path.join("."), locale: texts.locale });
  }
  return path.join(".");
}

/** A number, or the length of a list; anything else counts as 0. */
export const countOf = (count: unknown): number => (Array.isArray(count) ? count.length : Number(count ?? 0) || 0);
