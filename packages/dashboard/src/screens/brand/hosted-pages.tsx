// What the hosted pages say in each language instead of the words of the service, and the domain of links to them.
import type { PageTexts } from "@tidings/contract";
import { IconButton } from "../../kit/inputs/button.tsx";
import { TextArea, TextField } from "../../kit/inputs/field.tsx";
import { Select } from "../../kit/inputs/select.tsx";
import { Card } from "../../kit/layout/page.tsx";
import css from "./brand.module.css";
import type { BrandFormProps } from "./brand-form-props.ts";
import { words } from "./words.ts";

const text = words.pages;
/** Those that the hosted pages have words in: texts of another language would not be shown. */
const pageLanguages = "en de nl sv da nb fr es pt pt_BR it ro pl cs sk uk ru hu fi tr ar he ja ko zh_CN zh_TW".split(
  " ",
);
const names = new Intl.DisplayNames(["en"], { type: "language" });
const nameOf = (locale: string): string => names.of(locale.replaceAll("_", "-")) ?? locale;

export function HostedPages({ draft, errors, onChange, domain }: BrandFormProps) {
  const texts = draft.pageTexts ?? {};
  const locales = Object.keys(texts);
  const free = pageLanguages.filter((locale) => !locales.includes(locale));
  const set = (next: Record<string, PageTexts>) =>
    onChange({ pageTexts: Object.keys(next).length > 0 ? next : undefined });
  const change = (locale: string, own: PageTexts) => set({ ...texts, [locale]: own });
  const remove = (locale: string) => set(Object.fromEntries(Object.entries(texts).filter(([name]) => name !== locale)));
  return (
    <Card title={text.title}>
      <div className={css.fields}>
        <p>{text.lead}</p>
        {domain && (
          <TextField
            label={text.domain}
            value={domain.url}
            placeholder="https://preferences.example.com"
            hint={text.domainHint}
            maxLength={300}
            spellCheck={false}
            error={errors.pagesUrl}
            onChange={({ target }) => domain.onChange(target.value.trim())}
          />
        )}
        {locales.map((locale) => (
          <Language
            key={locale}
            locale={locale}
            own={texts[locale]!}
            errors={errors}
            onChange={(own) => change(locale, own)}
            onRemove={() => remove(locale)}
          />
        ))}
        {free.length > 0 && (
          <div>
            <Select
              name={text.add}
              value=""
              choices={[
                { value: "", label: text.choose },
                ...free.map((locale) => ({ value: locale, label: nameOf(locale) })),
              ]}
              onChange={(locale) => locale !== "" && change(locale, {})}
            />
          </div>
        )}
      </div>
    </Card>
  );
}

type LanguageProps = {
  locale: string;
  own: PageTexts;
  errors: BrandFormProps["errors"];
  onChange: (own: PageTexts) => void;
  onRemove: () => void;
};

function Language({ locale, own, errors, onChange, onRemove }: LanguageProps) {
  const name = nameOf(locale);
  const fieldOf = (member: keyof PageTexts) => ({
    label: text.fieldOf(text.members[member], name),
    lang: locale.replaceAll("_", "-"),
    dir: "auto" as const,
    value: own[member] ?? "",
    error: errors[`pageTexts.${locale}.${member}`],
    onChange: ({ target }: { target: { value: string } }) => onChange({ ...own, [member]: target.value }),
  });
  return (
    <section className={css.fields} aria-label={name}>
      <div className={css.language}>
        <h3>{name}</h3>
        <IconButton icon="trash" label={text.remove(name)} onClick={onRemove} />
      </div>
      <TextField {...fieldOf("title")} maxLength={120} />
      <TextArea {...fieldOf("introduction")} rows={2} maxLength={1_000} />
      <TextArea {...fieldOf("footer")} rows={2} maxLength={1_000} />
    </section>
  );
}
