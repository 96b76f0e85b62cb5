// Chooses a context, and offers payloads to begin with.
import { useOperation } from "../../../api/hooks.ts";
import { formatTime } from "../../../kit/data/time.tsx";
import { Select } from "../../../kit/inputs/select.tsx";
import type { MenuEntry } from "../../../kit/overlays/menu.tsx";
import type { Subscriber } from "../../../subscribers/subscriber-picker.tsx";
import type { Sample } from "./use-sample.ts";
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
