// Languages as people choose them: a list, their names, and what is typed. Pure.

/** Offered in lists; any other can be typed. */
export const localeChoices: readonly string[] = (
  "en_US en_GB de_DE de_AT de_CH fr_FR fr_CA es_ES es_MX pt_BR pt_PT it_IT nl_NL nl_BE sv_SE da_DK nb_NO fi_FI is_IS " +
  "pl_PL cs_CZ sk_SK hu_HU ro_RO bg_BG hr_HR sl_SI sr_RS uk_UA ru_RU el_GR tr_TR et_EE lv_LV lt_LT he_IL ar_SA ar_EG " +
  "fa_IR ur_PK hi_IN bn_BD ta_IN th_TH vi_VN id_ID ms_MY fil_PH ja_JP ko_KR zh_CN zh_TW zh_HK sw_KE af_ZA ca_ES eu_ES"
).split(" ");

const isLocale = (text: string): boolean => /^[a-z]{2,3}(?:[_-][a-z0-9]{2,8})*$/i.test(text);

/** As the service writes it: en-us becomes en_US. */
function normalLocale(text: string): string {
  const [language = "", ...rest] = text.split(/[_-]/);
  const parts = rest.map((part) =>
    part.length === 2
      ? part.toUpperCase()
      : part.length === 4
        ? part.charAt(0).toUpperCase() + part.slice(1).toLowerCase()
        : part.toLowerCase(),
  );
  return [language.toLowerCase(), ...parts].join("_");
}

const names = new Intl.DisplayNames(["en"], { type: "language", fallback: "none" });

/** "German (Germany)"; undefined for a language that has no name. */
export function localeName(locale: string): string | undefined {
  try {
    return names.of(locale.replaceAll("_", "-"));
  } catch {
    return undefined;
  }
}

/** What was typed or chosen: a locale, or the name of a language in the list; null if it is neither. */
export function readLocale(text: string): string | null {
  const typed = text.trim();
  const wanted = typed.toLowerCase();
  const named = localeChoices.find((locale) => {
    const name = localeName(locale)?.toLowerCase();
    return name === wanted || name?.replace(/ \(.*\)$/, "") === wanted;
  });
  if (named) return named;
  if (!isLocale(typed)) return null;
  const locale = normalLocale(typed);
  // A word such as "deutsch" has the form of a locale without being one.
  return locale.split("_")[0]!.length <= 3 ? locale : null;
}
