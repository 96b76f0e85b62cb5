// All texts of one language as a file: every key, with the text of the default language where none is translated yet.
import { useState } from "react";
import { callOperation, saveFile } from "../../api/client.ts";
import { useEnvironment } from "../../api/session.tsx";
import { choicesOf } from "../../kit/inputs/choices.ts";
import { Field } from "../../kit/inputs/field.tsx";
import { Select } from "../../kit/inputs/select.tsx";
import { FormDialog } from "../../kit/overlays/form-dialog.tsx";
import { showError } from "../../kit/overlays/toast.tsx";
import { LocaleField } from "./locale-field.tsx";
import { readLocale } from "./locales.ts";
import { filledMaster, type Master, toCsv } from "./text-files.ts";
import { defaultLocale } from "./texts.ts";
import { words } from "./words.ts";

const say = words.files;

export function ExportDialog({ known, onClose }: { known: readonly string[]; onClose: () => void }) {
  const [text, setText] = useState(defaultLocale);
  const [format, setFormat] = useState<keyof typeof say.formats>("json");
  const { _id } = useEnvironment();
  const locale = readLocale(text);
  const run = async () => {
    if (!locale) return;
    const read = async (of: string): Promise<Master> =>
      (await callOperation("translations.retrieveMaster", { query: { locale: of } }, _id)) as Master;
    try {
      const [reference, own] = await Promise.all([read(defaultLocale), read(locale)]);
      const content =
        format === "csv"
          ? toCsv(reference, own, [defaultLocale, locale])
          : `${JSON.stringify(filledMaster(reference, own), null, 2)}\n`;
      const type = format === "csv" ? "text/csv" : "application/json";
      saveFile(new Blob([content], { type }), `${locale}.${format}`);
      onClose();
    } catch (error) {
      showError(error);
    }
  };
  return (
    <FormDialog
      title={say.exportTitle}
      description={say.exportText}
      submit={say.exportAction}
      isDisabled={!locale}
      onSubmit={() => void run()}
      onClose={onClose}
    >
      <LocaleField value={text} known={known} onChange={setText} />
      <Field label={say.format} hint={say.formatHints[format]}>
        {({ id }) => (
          <Select
            id={id}
            name={say.format}
            isWide
            value={format}
            choices={choicesOf(say.formats)}
            onChange={setFormat}
          />
        )}
      </Field>
    </FormDialog>
  );
}
