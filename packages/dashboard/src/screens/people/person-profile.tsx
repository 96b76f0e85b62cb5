// What is known of a person, and its end.
import { useNavigate } from "@tanstack/react-router";
import type { Subscriber, SubscriberPatch } from "@tidings/contract";
import { type FormEvent, useState } from "react";
import { useChange } from "../../api/hooks.ts";
import { leastRole, useMay } from "../../app/permissions.ts";
import { Button } from "../../kit/button.tsx";
import { useConfirm } from "../../kit/confirm.tsx";
import { TextArea, TextField } from "../../kit/field.tsx";
import { Notice } from "../../kit/notice.tsx";
import { Card, Facts } from "../../kit/page.tsx";
import { ErrorPanel } from "../../kit/states.tsx";
import { Time } from "../../kit/time.tsx";
import { showError, showToast } from "../../kit/toast.tsx";
import { words as kitWords } from "../../words.ts";
import { nameOf } from "./avatar.tsx";
import css from "./people.module.css";
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

const read = (person: Subscriber): Record<Name, string> =>
  Object.fromEntries(names.map((name) => [name, person[name] ?? ""])) as Record<Name, string>;

export function PersonProfile({ person }: { person: Subscriber }) {
  const { subscriberId } = person;
  const [values, setValues] = useState(() => read(person));
  const [data, setData] = useState(() => JSON.stringify(person.data ?? {}, null, 2));
  const update = useChange("subscribers.update", ["subscribers.retrieve", "subscribers.list"]);
  const remove = useChange("subscribers.delete", ["subscribers.list"]);
  const { confirm, dialog } = useConfirm();
  const navigate = useNavigate();
  const may = useMay();
  const mayChange = may("subscribers.update");
  const parsed = parseObject(data);
  const errors = update.error?.fields ?? {};
  const save = (event: FormEvent) => {
    event.preventDefault();
    if (parsed === null) return;
    const before = read(person);
    const changed = names.filter((name) => values[name].trim() !== before[name]);
    const patch = Object.fromEntries(changed.map((name) => [name, values[name].trim() || null])) as SubscriberPatch;
    const isDataNew = JSON.stringify(parsed) !== JSON.stringify(person.data ?? {});
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
        title: text.deleteTitle(nameOf(person)),
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
              void navigate({ to: "/people" });
            },
          },
        ),
    );
  return (
    <div className={css.stack}>
      {dialog}
      {!mayChange && <Notice icon="key">{kitWords.needsRole(leastRole("subscribers.update"))}</Notice>}
      <Suppressions person={person} />
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
          <TextArea
            label={text.data}
            hint={text.dataHint}
            error={parsed === null ? text.badJson : errors.data}
            rows={6}
            value={data}
            disabled={!mayChange}
            spellCheck={false}
            onChange={({ target }) => setData(target.value)}
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
          [text.created, <Time key="created" at={person.createdAt} />],
          [text.updated, <Time key="updated" at={person.updatedAt} />],
          [text.lastOnline, person.lastOnlineAt && <Time key="online" at={person.lastOnlineAt} isRelative />],
          [text.internalId, person._id],
        ]}
      />
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

function parseObject(json: string): object | null {
  try {
    const value: unknown = JSON.parse(json.trim() === "" ? "{}" : json);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}
