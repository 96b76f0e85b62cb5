// Chooses a subscriber, and offers payloads to begin with.
import { useId, useState } from "react";
import { useOperation } from "../../../api/hooks.ts";
import { Icon } from "../../../icons.tsx";
import { formatTime } from "../../../kit/data/time.tsx";
import { Select } from "../../../kit/inputs/select.tsx";
import type { MenuEntry } from "../../../kit/overlays/menu.tsx";
import { useSettled } from "../../../kit/use-settled.ts";
import css from "./preview.module.css";
import { type Sample, type Subscriber, subscriberName } from "./use-sample.ts";
import { words } from "./words.ts";

/** Payloads to begin with: of recent events, the example of the schema, and an empty one. */
export function payloadEntries(
  { recent, example }: Pick<Sample, "recent" | "example">,
  onChoose: (text: string, subscriber?: Subscriber) => void,
): MenuEntry[] {
  const choose = (payload: object, subscriber?: Subscriber) => onChoose(JSON.stringify(payload, null, 2), subscriber);
  return [
    ...(recent.length > 0 ? [{ kind: "group" as const, label: words.recent }] : []),
    ...recent.map(({ at, subscriber, payload }) => ({
      label: subscriber?.name ?? formatTime(at),
      note: `${formatTime(at)} · ${JSON.stringify(payload).slice(0, 60)}`,
      onChoose: () => choose(payload, subscriber),
    })),
    ...(recent.length > 0 ? [{ kind: "line" as const }] : []),
    ...(example ? [{ label: words.example, onChoose: () => choose(example) }] : []),
    { label: words.empty, onChoose: () => choose({}) },
  ];
}

type SubscriberPickerProps = {
  label: string;
  subscriber: Subscriber | undefined;
  onChoose: (subscriber: Subscriber | undefined) => void;
};

/**
 * Until a text is typed, the newest subscribers are offered; the list belongs to the field, so the browser draws it.
 */
export function SubscriberPicker({ label, subscriber, onChoose }: SubscriberPickerProps) {
  const [text, setText] = useState<string | null>(null);
  const list = useId();
  const found = useSubscribers(useSettled(text ?? ""));
  const choose = (typed: string) => {
    setText(typed);
    const match = found.find(({ subscriberId }) => subscriberId === typed);
    if (match) {
      onChoose(match);
      setText(null);
    } else if (typed === "") onChoose(undefined);
  };
  return (
    <span className={css.subscriber}>
      <Icon name="users" size={14} />
      <input
        className={css.subscriberInput}
        aria-label={label}
        placeholder={label === words.subscriber ? words.sampleSubscriber : label}
        title={words.subscriberHint}
        list={list}
        value={text ?? subscriber?.name ?? ""}
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

function useSubscribers(text: string): Subscriber[] {
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
  const subscribers = both.map((one) => ({ subscriberId: one.subscriberId, name: subscriberName(one) }));
  return subscribers.filter(
    ({ subscriberId }, index) => subscribers.findIndex((one) => one.subscriberId === subscriberId) === index,
  );
}

/** The preview shows the brand of the chosen context. The first hundred are offered; without any, there is no field. */
export function ContextPicker({ chosen, onChoose }: { chosen: string; onChoose: (key: string) => void }) {
  const { data } = useOperation("contexts.list", { query: { limit: 100 } }, { staleTime: 60_000 });
  const keys = (data?.data ?? []).map(({ type, id }) => `${type}:${id}`);
  if (keys.length === 0) return null;
  return (
    <Select
      name={words.context}
      value={chosen}
      isSet={chosen !== ""}
      choices={[
        { value: "", label: words.noContext },
        ...keys.map((value) => ({ value, label: value.replace(":", ": ") })),
      ]}
      onChange={onChoose}
    />
  );
}
