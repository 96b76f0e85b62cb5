// The words that a language must provide: every word of the widget, as the compiler checks.
import { badgeText } from "../ui/bell-labels.ts";
import type { Labels } from "../ui/labels.ts";

/** A complete set of words. */
export const definePack = <Words extends Labels>(words: Words): Labels => words;

type Forms = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string };

/** A text for a count, in the form that the language requires; `#` is the count. */
export function createPlural(language: string): (count: number, forms: Forms) => string {
  const rules = new Intl.PluralRules(language);
  return (count, forms) => (forms[rules.select(count)] ?? forms.other).replace("#", badgeText(count));
}
