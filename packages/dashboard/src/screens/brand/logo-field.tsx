// A logo: its address, or a file that is uploaded and gets one.
import { type ChangeEvent, useRef, useState } from "react";
import { uploadImage } from "../../api/upload-image.ts";
import { Button } from "../../kit/inputs/button.tsx";
import { TextField } from "../../kit/inputs/field.tsx";
import { showError } from "../../kit/overlays/toast.tsx";
import css from "./brand.module.css";
import { words } from "./words.ts";

type LogoFieldProps = {
  label: string;
  value: string;
  placeholder: string;
  error?: string;
  onChange: (url: string) => void;
};

export function LogoField({ label, value, placeholder, error, onChange }: LogoFieldProps) {
  const file = useRef<HTMLInputElement>(null);
  const [isBusy, setBusy] = useState(false);
  const upload = async ({ target }: ChangeEvent<HTMLInputElement>) => {
    const [chosen] = target.files ?? [];
    if (!chosen) return;
    setBusy(true);
    try {
      onChange(await uploadImage(chosen));
    } catch (fault) {
      showError(fault);
    } finally {
      setBusy(false);
      target.value = "";
    }
  };
  return (
    <div className={css.logo}>
      <TextField
        label={label}
        value={value}
        placeholder={placeholder}
        maxLength={2_000}
        spellCheck={false}
        hint={words.logoHint}
        error={error}
        onChange={({ target }) => onChange(target.value.trim())}
      />
      <Button icon="upload" disabled={isBusy} aria-label={words.uploadOf(label)} onClick={() => file.current?.click()}>
        {words.upload}
      </Button>
      <input
        ref={file}
        type="file"
        accept="image/png,image/jpeg,image/gif,image/webp"
        hidden
        aria-label={words.uploadOf(label)}
        onChange={(event) => void upload(event)}
      />
    </div>
  );
}
