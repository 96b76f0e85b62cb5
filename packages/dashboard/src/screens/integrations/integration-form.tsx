// Name, credentials and limits of one integration, new or stored.
import type { Integration, Provider } from "@tidings/contract";
import { type FormEvent, useEffect, useRef, useState } from "react";
import type { ApiError } from "../../api/api-error.ts";
import { ErrorPanel } from "../../kit/feedback/states.tsx";
import { Button } from "../../kit/inputs/button.tsx";
import { Checkbox, TextField } from "../../kit/inputs/field.tsx";
import { Card } from "../../kit/layout/page.tsx";
import { CredentialFields, readCredentials, readValues } from "./credential-fields.tsx";
import css from "./integrations.module.css";
import { words } from "./words.ts";

/** What is sent, for a new integration and for a change. */
type IntegrationBody = {
  name?: string;
  identifier?: string;
  active?: boolean;
  check?: boolean;
  credentials: Record<string, unknown>;
  configurations?: Integration["configurations"];
};

type FormProps = {
  provider: Provider;
  integration?: Integration;
  error: ApiError | null;
  isBusy: boolean;
  disabled?: boolean;
  onSubmit: (body: IntegrationBody) => void;
};

export function IntegrationForm({ provider, integration, error, isBusy, disabled, onSubmit }: FormProps) {
  const stored = (integration?.credentials ?? {}) as Record<string, unknown>;
  const [values, setValues] = useState(() => readValues(provider.credentials, stored));
  const [name, setName] = useState(integration?.name ?? provider.name);
  const [identifier, setIdentifier] = useState(integration?.identifier ?? "");
  const [perSecond, setPerSecond] = useState(String(integration?.configurations?.maxPerSecond ?? ""));
  const [isActive, setActive] = useState(true);
  const [isChecked, setChecked] = useState(provider.canCheck);
  const [faults, setFaults] = useState<Record<string, string>>({});
  const errors = { ...error?.fields, ...faults };
  const known = new Set([
    ...provider.credentials.map(({ key }) => `credentials.${key}`),
    "name",
    "identifier",
    "configurations.maxPerSecond",
  ]);
  const hasOwnMessage = error !== null && Object.keys(error.fields).some((path) => known.has(path));
  const form = useRef<HTMLFormElement>(null);
  const message = useRef<HTMLDivElement>(null);
  // Brings the refusal into view: the message, or else the first invalid field.
  useEffect(() => {
    if (!error) return;
    if (message.current) message.current.scrollIntoView({ block: "nearest" });
    else form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [error]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const read = readCredentials(provider.credentials, values, stored);
    setFaults(read.faults);
    if (Object.keys(read.faults).length > 0) return;
    const { maxPerSecond: _, ...configurations } = integration?.configurations ?? {};
    const limit = perSecond.trim() === "" ? {} : { maxPerSecond: Number(perSecond) };
    const isLimited = perSecond !== String(integration?.configurations?.maxPerSecond ?? "");
    onSubmit({
      name: name.trim(),
      ...(identifier.trim() !== "" && identifier !== integration?.identifier && { identifier: identifier.trim() }),
      ...(!integration && { active: isActive }),
      ...(provider.canCheck && isChecked && { check: true }),
      credentials: read.credentials,
      ...(isLimited && { configurations: { ...configurations, ...limit } }),
    });
  };
  return (
    <Card title={words.credentials}>
      <form ref={form} className={css.form} onSubmit={submit} noValidate>
        {provider.help && <p className={css.help}>{provider.help}</p>}
        {provider.credentials.length === 0 && <p className={css.help}>{words.noCredentials}</p>}
        <CredentialFields
          fields={provider.credentials}
          values={values}
          stored={stored}
          errors={errors}
          disabled={disabled}
          onChange={(key, value) => setValues((before) => ({ ...before, [key]: value }))}
        />
        <hr className={css.line} />
        <div className={css.pair}>
          <TextField
            label={words.name}
            hint={words.nameHint}
            error={errors.name}
            value={name}
            disabled={disabled}
            onChange={({ target }) => setName(target.value)}
          />
          <TextField
            label={`${words.identifier} (${words.optional})`}
            hint={words.identifierHint}
            error={errors.identifier}
            value={identifier}
            spellCheck={false}
            disabled={disabled}
            onChange={({ target }) => setIdentifier(target.value)}
          />
          {provider.channel !== "in_app" && !provider.isCapture && (
            <TextField
              label={`${words.perSecond} (${words.optional})`}
              hint={words.perSecondHint(provider.limits.perSecond)}
              error={errors["configurations.maxPerSecond"]}
              value={perSecond}
              inputMode="decimal"
              disabled={disabled}
              onChange={({ target }) => setPerSecond(target.value)}
            />
          )}
        </div>
        {/* By the button, where the reader is. A field that has its own message needs no second one. */}
        {error && !hasOwnMessage && (
          <div ref={message}>
            <ErrorPanel error={error} />
          </div>
        )}
        {!disabled && (
          <div className={css.formEnd}>
            <div className={css.checks}>
              {!integration && (
                <Checkbox
                  label={words.active}
                  checked={isActive}
                  onChange={({ target }) => setActive(target.checked)}
                />
              )}
              {provider.canCheck && (
                <Checkbox
                  label={words.check}
                  checked={isChecked}
                  onChange={({ target }) => setChecked(target.checked)}
                />
              )}
            </div>
            <Button type="submit" look="primary" disabled={isBusy}>
              {integration ? words.save : words.adding}
            </Button>
          </div>
        )}
      </form>
    </Card>
  );
}
