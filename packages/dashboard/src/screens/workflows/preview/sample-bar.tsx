// Chooses the person and the payload of the preview and the simulator.
import { useId, useState } from "react";
import { useOperation } from "../../../api/hooks.ts";
import { Icon } from "../../../icons.tsx";
import { Button } from "../../../kit/button.tsx";
import { jsonFault } from "../../../kit/json-fault.ts";
import { Menu, type MenuEntry } from "../../../kit/menu.tsx";
import { formatTime } from "../../../kit/time.tsx";
import { useSettled } from "../../../kit/use-settled.ts";
import { CodeField } from "../step/value-field.tsx";
import css from "./preview.module.css";
import { type Person, personName, type Sample } from "./use-sample.ts";
import { words } from "./words.ts";

export function SampleBar({ sample }: { sample: Sample }) {
  return (
    <div className={css.sample}>
      <PersonPicker label={words.person} person={sample.person} onChoose={sample.setPerson} />
      <SamplePayload sample={sample} size="small" />
    </div>
  );
}

/** The menu of payloads, and the payload itself when it is to be changed. */
export function SamplePayload({ sample, size }: { sample: Sample; size?: "small" }) {
  const [isOpen, setOpen] = useState(false);
  const setPayload = (payload: object) => sample.setPayloadText(JSON.stringify(payload, null, 2));
  const entries: MenuEntry[] = [
    {
      label: isOpen ? words.hidePayload : words.showPayload,
      icon: "code",
      onChoose: () => setOpen(!isOpen),
    },
    { kind: "line" },
    ...(sample.recent.length > 0 ? [{ kind: "group" as const, label: words.recent }] : []),
    ...sample.recent.map(({ at, person, payload }) => ({
      label: person?.name ?? formatTime(at),
      note: `${formatTime(at)} · ${JSON.stringify(payload).slice(0, 60)}`,
      onChoose: () => {
        setPayload(payload);
        if (person) sample.setPerson(person);
      },
    })),
    ...(sample.recent.length > 0 ? [{ kind: "line" as const }] : []),
    ...(sample.example ? [{ label: words.example, onChoose: () => setPayload(sample.example!) }] : []),
    { label: words.empty, onChoose: () => setPayload({}) },
  ];
  return (
    <>
      <Menu
        align="end"
        trigger={
          <Button size={size}>
            {words.payload}
            <Icon name="chevronDown" size={13} />
          </Button>
        }
        entries={entries}
      />
      {(isOpen || sample.payload === null) && (
        <div className={css.payload}>
          <CodeField
            label={words.payloadLabel}
            language="json"
            text={sample.payloadText}
            isReadOnly={false}
            isAlone
            error={sample.payload === null ? words.badPayload(jsonFault(sample.payloadText)) : undefined}
            onChange={sample.setPayloadText}
          />
        </div>
      )}
    </>
  );
}

type PersonPickerProps = { label: string; person: Person | undefined; onChoose: (person: Person | undefined) => void };

/** Until a text is typed, the newest people are offered; the list belongs to the field, so the browser draws it. */
export function PersonPicker({ label, person, onChoose }: PersonPickerProps) {
  const [text, setText] = useState<string | null>(null);
  const list = useId();
  const found = usePeople(useSettled(text ?? ""));
  const choose = (typed: string) => {
    setText(typed);
    const match = found.find(({ subscriberId }) => subscriberId === typed);
    if (match) {
      onChoose(match);
      setText(null);
    } else if (typed === "") onChoose(undefined);
  };
  return (
    <span className={css.person}>
      <Icon name="users" size={14} />
      <input
        className={css.personInput}
        aria-label={label}
        placeholder={label === words.person ? words.samplePerson : label}
        title={words.personHint}
        list={list}
        value={text ?? person?.name ?? ""}
        autoComplete="off"
        spellCheck={false}
        onFocus={({ target }) => target.select()}
        onBlur={() => setText(null)}
        onKeyDown={(event) => {
          const first = found[0];
          if (event.key === "Enter" && first && text) {
            event.preventDefault();
            onChoose(first);
            setText(null);
          }
        }}
        onChange={({ target }) => choose(target.value)}
      />
      <datalist id={list}>
        {found.map(({ subscriberId, name }) => (
          <option key={subscriberId} value={subscriberId}>
            {name}
          </option>
        ))}
      </datalist>
    </span>
  );
}

function usePeople(text: string): Person[] {
  const isAddress = text.includes("@");
  const named = useOperation(
    "subscribers.list",
    { query: { limit: 20, ...(text !== "" && (isAddress ? { email: text } : { name: text })) } },
    { keep: true, staleTime: 60_000 },
  );
  const byId = useOperation(
    "subscribers.list",
    { query: { limit: 1, subscriberId: text } },
    { enabled: text !== "" && !isAddress, keep: true },
  );
  const both = [...(text === "" ? [] : (byId.data?.data ?? [])), ...(named.data?.data ?? [])];
  const people = both.map((one) => ({ subscriberId: one.subscriberId, name: personName(one) }));
  return people.filter(
    ({ subscriberId }, index) => people.findIndex((one) => one.subscriberId === subscriberId) === index,
  );
}
