// The fields of a brand. A field without a value shows what it inherits.
import type { BrandColorName, BrandNetwork } from "@tidings/contract";
import { Button, IconButton } from "../../kit/inputs/button.tsx";
import { TextArea, TextField } from "../../kit/inputs/field.tsx";
import { Select } from "../../kit/inputs/select.tsx";
import { Card } from "../../kit/layout/page.tsx";
import css from "./brand.module.css";
import type { BrandFormProps } from "./brand-form-props.ts";
import { HostedPages } from "./hosted-pages.tsx";
import { LogoField } from "./logo-field.tsx";
import { networkNames, words } from "./words.ts";

export const BrandForm = (props: BrandFormProps) => (
  <fieldset className={css.form} disabled={props.isReadOnly} aria-label={words.title}>
    <Identity {...props} />
    <Colors {...props} />
    <Shape {...props} />
    <Footer {...props} />
    <HostedPages {...props} />
  </fieldset>
);

function Identity({ draft, brand, errors, onChange }: BrandFormProps) {
  return (
    <Card title={words.identity}>
      <div className={css.fields}>
        <TextField
          label={words.name}
          value={draft.name ?? ""}
          placeholder={brand.name}
          maxLength={100}
          hint={words.nameHint}
          error={errors.name}
          onChange={({ target }) => onChange({ name: target.value || undefined })}
        />
        {(["logoUrl", "logoDarkUrl"] as const).map((field) => (
          <LogoField
            key={field}
            label={words[field]}
            value={draft[field] ?? ""}
            placeholder={brand[field] ?? "https://"}
            error={errors[field]}
            onChange={(url) => onChange({ [field]: url || undefined })}
          />
        ))}
      </div>
    </Card>
  );
}

const lightColors = ["primary", "primaryText", "text", "heading", "background", "surface"] as const;

function Colors({ draft, brand, errors, onChange }: BrandFormProps) {
  const change = (name: BrandColorName, value: string) => {
    const { [name]: _, ...others } = draft.colors ?? {};
    const colors = value === "" ? others : { ...others, [name]: value };
    onChange({ colors: Object.keys(colors).length > 0 ? colors : undefined });
  };
  return (
    <Card title={words.colors}>
      <div className={css.colors}>
        {(["", "Dark"] as const).map((mode) => (
          <div key={mode} className={css.fields}>
            <h3>{mode === "" ? words.light : words.dark}</h3>
            {lightColors.map((base) => {
              const name: BrandColorName = `${base}${mode}`;
              return (
                <ColorField
                  key={name}
                  label={words.colorNames[base]}
                  fullLabel={words.colorOf(words.colorNames[base], mode === "" ? words.light : words.dark)}
                  value={draft.colors?.[name] ?? ""}
                  inherited={brand.colors[name]}
                  error={errors[`colors.${name}`]}
                  onChange={(value) => change(name, value)}
                />
              );
            })}
          </div>
        ))}
      </div>
    </Card>
  );
}

type ColorFieldProps = {
  label: string;
  /** Read aloud: with the mode, which is shown as a heading. */
  fullLabel: string;
  value: string;
  inherited: string;
  error?: string;
  onChange: (value: string) => void;
};

/** `#abc` as `#aabbcc`, which is all that the browser's own field takes. */
const longHex = (value: string): string =>
  /^#[0-9a-f]{3}$/i.test(value) ? value.replace(/[0-9a-f]/gi, (digit) => digit + digit) : value;

const ColorField = ({ label, fullLabel, value, inherited, error, onChange }: ColorFieldProps) => (
  <div className={css.color}>
    <input
      type="color"
      className={css.swatch}
      aria-label={words.pick(fullLabel)}
      value={longHex(/^#([0-9a-f]{3}|[0-9a-f]{6})$/i.test(value) ? value : inherited)}
      onChange={({ target }) => onChange(target.value)}
    />
    <TextField
      label={label}
      aria-label={fullLabel}
      value={value}
      placeholder={inherited}
      spellCheck={false}
      error={error}
      onChange={({ target }) => onChange(target.value.trim())}
    />
  </div>
);

function Shape({ draft, brand, errors, onChange }: BrandFormProps) {
  return (
    <Card title={words.shape}>
      <div className={css.fields}>
        <TextField
          label={words.fontStack}
          value={draft.fontStack ?? ""}
          placeholder={brand.fontStack}
          maxLength={300}
          hint={words.fontHint}
          error={errors.fontStack}
          onChange={({ target }) => onChange({ fontStack: target.value || undefined })}
        />
        <TextField
          label={words.cornerRadius}
          type="number"
          min={0}
          max={32}
          value={draft.cornerRadius ?? ""}
          placeholder={String(brand.cornerRadius)}
          error={errors.cornerRadius}
          onChange={({ target }) => onChange({ cornerRadius: target.value === "" ? undefined : Number(target.value) })}
        />
      </div>
    </Card>
  );
}

const networks = Object.entries(networkNames).map(([value, label]) => ({ value: value as BrandNetwork, label }));

function Footer({ draft, brand, errors, onChange }: BrandFormProps) {
  const links = draft.socialLinks ?? [];
  const setLinks = (next: typeof links) => onChange({ socialLinks: next.length > 0 ? next : undefined });
  return (
    <Card title={words.footer}>
      <div className={css.fields}>
        <TextArea
          label={words.address}
          rows={3}
          value={draft.address ?? ""}
          placeholder={brand.address}
          maxLength={500}
          hint={words.addressHint}
          error={errors.address}
          onChange={({ target }) => onChange({ address: target.value || undefined })}
        />
        {links.map(({ network, url }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: links have no identity but their place
          <div key={index} className={css.link}>
            <Select
              name={words.network}
              value={network}
              choices={networks}
              onChange={(value) => setLinks(links.map((one, at) => (at === index ? { ...one, network: value } : one)))}
            />
            <TextField
              label={words.linkUrl(networkNames[network])}
              value={url}
              placeholder="https://"
              maxLength={2_000}
              error={errors[`socialLinks.${index}.url`]}
              onChange={({ target }) =>
                setLinks(links.map((one, at) => (at === index ? { ...one, url: target.value } : one)))
              }
            />
            <IconButton
              icon="trash"
              label={words.removeLink(networkNames[network])}
              onClick={() => setLinks(links.filter((_, at) => at !== index))}
            />
          </div>
        ))}
        {links.length < 12 && (
          <div>
            <Button icon="plus" onClick={() => setLinks([...links, { network: "website", url: "" }])}>
              {words.addLink}
            </Button>
          </div>
        )}
      </div>
    </Card>
  );
}
