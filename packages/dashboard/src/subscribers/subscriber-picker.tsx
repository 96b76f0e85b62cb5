// Chooses a subscriber by a part of the name, by the email address or by the id.
import { useOperation } from "../api/hooks.ts";
import { type Found, Picker } from "../kit/inputs/picker.tsx";
import { useSettled } from "../kit/use-settled.ts";
import { nameOf } from "./avatar.tsx";
import { words } from "./picker-words.ts";

export type Subscriber = { subscriberId: string; name: string };

type SubscriberPickerProps = {
  label: string;
  placeholder?: string;
  subscriber: Subscriber | undefined;
  onChoose: (subscriber: Subscriber | undefined) => void;
};

export const SubscriberPicker = ({ label, placeholder, subscriber, onChoose }: SubscriberPickerProps) => (
  <Picker
    icon="users"
    label={label}
    placeholder={placeholder}
    hint={words.hint}
    chosen={subscriber && { id: subscriber.subscriberId, name: subscriber.name }}
    onChoose={(found) => onChoose(found && { subscriberId: found.id, name: found.name })}
    useFound={useSubscribers}
  />
);

function useSubscribers(text: string): { found: Found[]; isCurrent: boolean } {
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
  const subscribers = both.map((one) => ({ id: one.subscriberId, name: nameOf(one) }));
  const isRead = (query: typeof named) => !query.isFetching && !query.isPlaceholderData;
  return {
    found: subscribers.filter(({ id }, index) => subscribers.findIndex((one) => one.id === id) === index),
    isCurrent: settled === text && isRead(named) && (!hasId || isRead(byId)),
  };
}
