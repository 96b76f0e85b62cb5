// Chooses a subscriber by a part of the name, by the email address or by the id.
import { useId, useState } from "react";
import { useOperation } from "../api/hooks.ts";
import { Icon } from "../icons.tsx";
import { useSettled } from "../kit/use-settled.ts";
import { nameOf } from "./avatar.tsx";
import { words } from "./picker-words.ts";
import css from "./subscriber-picker.module.css";

export type Subscriber = { subscriberId: string; name: string };

type SubscriberPickerProps = {
  label: string;
  placeholder?: string;
  subscriber: Subscriber | undefined;
  onChoose: (subscriber: Subscriber | undefined) => void;
};

/**
 * Until a text is typed, the newest subscribers are offered; the list belongs to the field, so the browser draws it.
 */
export function SubscriberPicker({ label, placeholder, subscriber, onChoose }: SubscriberPickerProps) {
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
    <span className={css.picker}>
      <Icon name="users" size={14} />
      <input
        className={css.input}
        aria-label={label}
        placeholder={placeholder ?? label}
        title={words.hint}
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
  const subscribers = both.map((one) => ({ subscriberId: one.subscriberId, name: nameOf(one) }));
  return subscribers.filter(
    ({ subscriberId }, index) => subscribers.findIndex((one) => one.subscriberId === subscriberId) === index,
  );
}
