// Chooses the language of the preview, where the workflow has texts in several.
import { useOperation } from "../../../api/hooks.ts";
import { Select } from "../../../kit/inputs/select.tsx";
import type { Sample } from "./use-sample.ts";
import { words } from "./words.ts";

type SampleLanguageProps = { sample: Sample; workflowId: string };

export function SampleLanguage({ sample, workflowId }: SampleLanguageProps) {
  const { data } = useOperation("translations.listGroups", { query: { query: workflowId, limit: 100 } });
  const group = data?.groups.find((one) => one.resourceType === "workflow" && one.resourceId === workflowId);
  const locales = group?.locales ?? [];
  if (locales.length < 2) return null;
  return (
    <Select
      name={words.language}
      value={sample.locale ?? ""}
      isSet={sample.locale !== undefined}
      choices={[
        { value: "", label: words.ownLanguage },
        ...locales.map((locale) => ({ value: locale, label: nameOf(locale), note: locale })),
      ]}
      onChange={(value) => sample.setLocale(value === "" ? undefined : value)}
    />
  );
}

const names = new Intl.DisplayNames(["en"], { type: "language", fallback: "code" });

function nameOf(locale: string): string {
  try {
    return names.of(locale.replaceAll("_", "-")) ?? locale;
  } catch {
    return locale;
  }
}
