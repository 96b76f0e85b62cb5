// `t.<key>` in templates: the texts of a workflow or layout in the language of the recipient. Each key is looked up in the
// locales of the chain in turn, so a half-translated locale borrows what it lacks; a key that no locale has shows itself.
// docs/translations.md describes the format of the texts.
import { Drop } from "liquidjs";
import { LRUCache } from "lru-cache";
import { isObject, valueAt } from "../../lib/json.ts";
import { localeChain } from "../../lib/locale.ts";

type JsonObject = Record<string, unknown>;
type Page = { locale: string; content: JsonObject };
type RenderText = (template: string, values: JsonObject) => string;

/** `rendered` keeps what was looked up: a text in a loop is rendered once. */
type Book = { pages: Page[]; render: RenderText; rendered: Map<string, string> };

/**
 * Part of the texts, at a path. A class because the template engine asks only a Drop for members it does not have: that is
 * how `t.any.missing.key` can show itself. Everything it holds is private, so that no key meets a member.
 */
export class Texts extends Drop {
  readonly #book: Book;
  readonly #path: string[];

  constructor(book: Book, path: string[] = []) {
    super();
    this.#book = book;
    this.#path = path;
  }

  override liquidMethodMissing(key: string | number): unknown {
    return read(this.#book, [...this.#path, String(key)]);
  }

  override valueOf(): string {
    return this.#path.join(".");
  }

  static plural(texts: Texts, count: unknown): string {
    return pluralForm(texts.#book, texts.#path, countOf(count));
  }
}

export function translator(options: {
  translations: readonly Page[];
  locale: string | null | undefined;
  defaultLocale: string;
  /** Renders a text with the roots that the template around it has. */
  render: RenderText;
}): Texts {
  const { translations, locale, defaultLocale, render } = options;
  const pages = localeChain(locale, defaultLocale).flatMap(
    (wanted) => translations.find((page) => page.locale === wanted) ?? [],
  );
  return new Texts({ pages, render, rendered: new Map() });
}

/** Nested, or under the dotted key as a whole: both are usual in files of texts. */
function at({ content }: Page, path: string[]): unknown {
  const key = path.join(".");
  return Object.hasOwn(content, key) ? content[key] : valueAt(content, key);
}

function read(book: Book, path: string[]): unknown {
  for (const page of book.pages) {
    const value = at(page, path);
    if (value === undefined || value === null) continue;
    if (typeof value === "string") return textOf(book, path.join("."), value);
    if (!isObject(value)) return value;
    break;
  }
  return new Texts(book, path);
}

function textOf({ rendered, render }: Book, key: string, template: string): string {
  let text = rendered.get(key);
  if (text === undefined) {
    text = render(template, {});
    rendered.set(key, text);
  }
  return text;
}

const pluralRules = new LRUCache<string, Intl.PluralRules>({ max: 200 });

function rulesOf(locale: string): Intl.PluralRules {
  let rules = pluralRules.get(locale);
  if (!rules) {
    const tag = locale.replaceAll("_", "-");
    // A locale is stored in the right form, which does not mean that the language exists.
    rules = new Intl.PluralRules(Intl.PluralRules.supportedLocalesOf(tag).length > 0 ? tag : "en");
    pluralRules.set(locale, rules);
  }
  return rules;
}

/** The form for this number in the first locale that has one; `zero` is for 0 in every language. */
function pluralForm(book: Book, path: string[], count: number): string {
  for (const page of book.pages) {
    const forms = at(page, path);
    if (!isObject(forms)) continue;
    const names = [...(count === 0 ? ["zero"] : []), rulesOf(page.locale).select(count), "other"];
    const form = names.map((name) => valueAt(forms, name)).find((text) => typeof text === "string");
    if (form !== undefined) return book.render(form as string, { count });
  }
  return path.join(".");
}

/** A number, or how many a list has; anything else counts as none. */
export const countOf = (count: unknown): number => (Array.isArray(count) ? count.length : Number(count ?? 0) || 0);
