// What is known of a subscriber, and its end.
import { useNavigate } from "@tanstack/react-router";
import type { Subscriber, SubscriberPatch } from "@tidings/contract";
import { type FormEvent, useState } from "react";
import { useChange } from "../../api/hooks.ts";
import { requiredRole, useMay } from "../../api/permissions.ts";
import { parseObject } from "../../fields/json-object.ts";
import { JsonTextField } from "../../fields/json-text-field.tsx";
import { Time } from "../../kit/data/time.tsx";
import { Notice } from "../../kit/feedback/notice.tsx";
import { ErrorPanel } from "../../kit/feedback/states.tsx";
import { Button } from "../../kit/inputs/button.tsx";
import { TextField } from "../../kit/inputs/field.tsx";
import { Card, Facts } from "../../kit/layout/page.tsx";
import { useConfirm } from "../../kit/overlays/confirm.tsx";
import { showError, showToast } from "../../kit/overlays/toast.tsx";
import { nameOf } from "../../subscribers/avatar.tsx";
import { words as kitWords } from "../../words.ts";
import { PersonalData } from "./subscriber-data.tsx";
import css from "./subscribers.module.css";
import { Suppressions } from "./suppressions.tsx";
import { words } from "./words.ts";

const text = words.profile;
const names = ["firstName", "lastName", "email", "phone", "locale", "timezone", "avatar"] as const;
type Name = (typeof names)[number];

const hints: Partial<Record<Name, string>> = {
  phone: text.phoneHint,
  locale: text.localeHint,
  timezone: text.timezoneHint,
};

const read = (subscriber: Subscriber): Record<Name, string> =>
  Object.fromEntries(names.map((name) => [name, subscriber[name] ?? ""])) as Record<Name, string>;

export function SubscriberProfile({ subscriber }: { subscriber: Subscriber }) {
  const { subscriberId } = subscriber;
  const [values, setValues] = useState(() => read(subscriber));
  const [data, setData] = useState(() => JSON.stringify(subscriber.data ?? {}, null, 2));
  const update = useChange("subscribers.update", ["subscribers.retrieve", "subscribers.list"]);
  const remove = useChange("subscribers.delete", ["subscribers.list"]);
  const { confirm, dialog } = useConfirm();
  const navigate = useNavigate();
  const may = useMay();
  const mayChange = may("subscribers.update");
  const parsed = data.trim() === "" ? {} : parseObject(data);
  const errors = update.error?.fields ?? {};
  const save = (event: FormEvent) => {
    event.preventDefault();
    if (parsed === null) return;
    const before = read(subscriber);
    const changed = names.filter((name) => values[name].trim() !== before[name]);
    const patch = Object.fromEntries(changed.map((name) => [name, values[name].trim() || null])) as SubscriberPatch;
    const isDataNew = JSON.stringify(parsed) !== JSON.stringify(subscriber.data ?? {});
    confirm({ title: text.changeTitle, label: text.save }, () =>
      update.mutate(
        { params: { subscriberId }, body: { ...patch, ...(isDataNew && { data: parsed as SubscriberPatch["data"] }) } },
        { onSuccess: () => showToast({ title: kitWords.saved }) },
      ),
    );
  };
  const erase = () =>
    confirm(
      {
        title: text.deleteTitle(nameOf(subscriber)),
        text: text.deleteText,
        label: text.delete,
        isDanger: true,
        isAlways: true,
      },
      () =>
        remove.mutate(
          { params: { subscriberId } },
          {
            onError: showError,
            onSuccess: () => {
              showToast({ title: text.deleted });
              void navigate({ to: "/subscribers" });
            },
          },
        ),
    );
  return (
    <div className={css.stack}>
      {dialog}
      {!mayChange && <Notice icon="key">{kitWords.needsRole(requiredRole("subscribers.update"))}</Notice>}
      <Suppressions subscriber={subscriber} />
      <Card title={text.title}>
        <form className={css.form} onSubmit={save} noValidate>
          {update.error && !Object.keys(errors).some((path) => path === "data" || names.includes(path as Name)) && (
            <ErrorPanel error={update.error} />
          )}
          <div className={css.fields}>
            {names.map((name) => (
              <TextField
                key={name}
                label={text[name]}
                hint={hints[name]}
                error={errors[name]}
                value={values[name]}
                disabled={!mayChange}
                spellCheck={false}
                autoComplete="off"
                onChange={({ target }) => setValues((before) => ({ ...before, [name]: target.value }))}
              />
            ))}
          </div>
          <JsonTextField
            label={text.data}
            hint={text.dataHint}
            text={data}
            badJson={text.badJson}
            error={errors.data}
            isOptional
            rows={6}
            disabled={!mayChange}
            onChange={setData}
          />
          {mayChange && (
            <div>
              <Button type="submit" look="primary" disabled={update.isPending || parsed === null}>
                {text.save}
              </Button>
            </div>
          )}
        </form>
      </Card>
      <Facts
        of={[
          [text.created, <Time key="created" at={subscriber.createdAt} />],
          [text.updated, <Time key="updated" at={subscriber.updatedAt} />],
          [text.lastOnline, subscriber.lastOnlineAt && <Time key="online" at={subscriber.lastOnlineAt} isRelative />],
          [text.internalId, subscriber._id],
        ]}
      />
      <PersonalData subscriber={subscriber} />
      {may("subscribers.delete") && (
        <Card>
          <div className={css.danger}>
            <div>
              <h2>{text.danger}</h2>
              <p className={css.muted}>{text.deleteText}</p>
            </div>
            <Button look="danger" icon="trash" onClick={erase} disabled={remove.isPending}>
              {text.delete}
            </Button>
          </div>
        </Card>
      )}
    </div>
  );
}
