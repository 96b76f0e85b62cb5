// The table of texts. Each cell is a field; what is missing, outdated or broken says so.

import { Badge } from "../../kit/feedback/verdict.tsx";
import { Button, IconButton } from "../../kit/inputs/button.tsx";
import { defaultLocale } from "./texts.ts";
import css from "./translations.module.css";
import type { Group } from "./use-group.ts";
import { words } from "./words.ts";

const say = words.group;
/** More rows than this make the page slow; the search finds the others. */
const most = 500;

type TextTableProps = {
  group: Group;
  keys: readonly string[];
  isExtra: (key: string) => boolean;
  isReadOnly: boolean;
  onRemoveLocale: (locale: string) => void;
};

export function TextTable({ group, keys, isExtra, isReadOnly, onRemoveLocale }: TextTableProps) {
  const { locales } = group;
  const missingIn = (locale: string) =>
    keys.filter((key) => !isExtra(key) && group.textOf(locale, key) === undefined).length;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reached by the keyboard
    <section className={css.frame} aria-label={say.table} tabIndex={0}>
      <table className={css.table} aria-label={say.table}>
        <thead>
          <tr>
            <th scope="col">{say.key}</th>
            {locales.map((locale) => (
              <th key={locale} scope="col">
                <span className={css.localeHead}>
                  {locale}
                  {locale === defaultLocale && <Badge>{say.defaultNote}</Badge>}
                  {missingIn(locale) > 0 && <Badge tone="warn">{words.missing(missingIn(locale))}</Badge>}
                  {!isReadOnly && locale !== defaultLocale && (
                    <IconButton
                      label={say.removeLocale(locale)}
                      icon="trash"
                      size="small"
                      onClick={() => onRemoveLocale(locale)}
                    />
                  )}
                </span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {keys.slice(0, most).map((key) => (
            <tr key={key}>
              <th scope="row">
                <code title={group.used.has(key) ? say.usedIn(group.used.get(key)!) : undefined}>{key}</code>
                {isExtra(key) && (
                  <span title={say.extraHint}>
                    <Badge>{say.isExtra}</Badge>
                  </span>
                )}
                {!isReadOnly && (
                  <IconButton
                    label={say.removeKey(key)}
                    icon="x"
                    size="small"
                    onClick={() => {
                      for (const locale of locales)
                        if (group.textOf(locale, key) !== undefined) group.change(locale, key, undefined);
                    }}
                  />
                )}
              </th>
              {locales.map((locale) => {
                const text = group.textOf(locale, key);
                const source = group.textOf(defaultLocale, key);
                const isMissing = text === undefined && !isExtra(key);
                const fault = group.faultOf(locale, key);
                const isOutdated = group.isOutdated(locale, key);
                return (
                  <td
                    key={locale}
                    data-missing={isMissing}
                    data-outdated={isOutdated}
                    data-faulty={fault !== undefined}
                    data-edited={group.isEdited(locale, key)}
                  >
                    <textarea
                      rows={1}
                      aria-label={say.textOf(key, locale)}
                      placeholder={isMissing ? say.isMissing : undefined}
                      value={text ?? ""}
                      readOnly={isReadOnly}
                      onChange={({ target }) =>
                        group.change(locale, key, target.value === "" ? undefined : target.value)
                      }
                    />
                    {isMissing && !isReadOnly && locale !== defaultLocale && source !== undefined && (
                      <span className={css.copySource}>
                        <IconButton
                          size="small"
                          icon="copy"
                          label={say.copySource(key, locale)}
                          onClick={() => group.change(locale, key, source)}
                        />
                      </span>
                    )}
                    {fault !== undefined && (
                      <p className={css.textNote} data-tone="bad">
                        {fault}
                      </p>
                    )}
                    {isOutdated && (
                      <p className={css.textNote} data-tone="warn">
                        {say.sourceChanged}
                        {!isReadOnly && (
                          <Button
                            size="small"
                            look="plain"
                            aria-label={say.stillFitsOf(key, locale)}
                            onClick={() => group.review(locale, key)}
                          >
                            {say.stillFits}
                          </Button>
                        )}
                      </p>
                    )}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
