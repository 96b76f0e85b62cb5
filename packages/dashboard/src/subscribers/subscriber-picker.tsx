// Chooses a subscriber by a part of the name, by the email address or by the id.
import { type ChangeEvent, useEffect, useId, useState } from "react";
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

/** What was last done in the field: the text was changed, Enter was pressed, or the focus went elsewhere. */
type Phase = "typed" | "entered" | "left";

/**
 * Until a text is typed, the newest subscribers are offered; the list belongs to the field, so the browser draws it.
 * Nobody is chosen from the results of an earlier text.
 */
export function SubscriberPicker({ label, placeholder, subscriber, onChoose }: SubscriberPickerProps) {
  const [text, setText] = useState<string | null>(null);
  const [phase, setPhase] = useState<Phase>("typed");
  const list = useId();
  const { found, isCurrent } = useSubscribers(text ?? "");
  const take = (one: Subscriber) => {
    onChoose(one);
    setText(null);
  };
  const onChange = ({ target, nativeEvent }: ChangeEvent<HTMLInputElement>) => {
    const { value } = target;
    setPhase("typed");
    setText(value);
    const match = found.find(({ subscriberId }) => subscriberId === value);
    if (match && isFromList(nativeEvent)) take(match);
    else if (value === "") onChoose(undefined);
  };
  useEffect(() => {
    if (!text || !isCurrent) return;
    const match = found.find(({ subscriberId }) => subscriberId === text);
    const isOnlyOne = found.every(({ subscriberId }) => subscriberId === text || !subscriberId.startsWith(text));
    const chosen = phase === "entered" ? found[0] : phase === "left" || isOnlyOne ? match : undefined;
    if (chosen) take(chosen);
    else if (phase === "left") setText(null);
  });
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
        onBlur={() => (text ? setPhase("left") : setText(null))}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || !text) return;
          event.preventDefault();
          setPhase("entered");
        }}
        onChange={onChange}
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

/** An entry of the field's list replaces the text; typing inserts or deletes. */
const isFromList = (event: Event): boolean =>
  !("inputType" in event) || !event.inputType || event.inputType === "insertReplacementText";

/** `isCurrent`: the results are those of this text. */
function useSubscribers(text: string): { found: Subscriber[]; isCurrent: boolean } {
  const settled = useSettled(text);
  const isAddress = settled.includes("@");
  const named = useOperation(
    "subscribers.list",
    { query: { limit: 20, ...(settled !== "" && (isAddress ? { email: settled } : { name: settled })) } },
    { keep: true, staleTime: 60_000 },
  );
  const hasId = settled !== "" && !isAddress;
  const byId = useOperation(
    "subscribers.list",
    { query: { limit: 1, subscriberId: settled } },
    { enabled: hasId, keep: true },
  );
  const both = [...(hasId ? (byId.data?.data ?? []) : []), ...(named.data?.data ?? [])];
  const subscribers = both.map((one) => ({ subscriberId: one.subscriberId, name: nameOf(one) }));
  const isRead = (query: typeof named) => !query.isFetching && !query.isPlaceholderData;
  return {
    found: subscribers.filter(
      ({ subscriberId }, index) => subscribers.findIndex((one) => one.subscriberId === subscriberId) === index,
    ),
    isCurrent: settled === text && isRead(named) && (!hasId || isRead(byId)),
  };
}
