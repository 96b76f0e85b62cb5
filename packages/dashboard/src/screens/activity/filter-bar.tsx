// The filters above the list. Each change is a new URL.
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { useOperation } from "../../api/hooks.ts";
import { Button, IconButton } from "../../kit/inputs/button.tsx";
import { SearchField } from "../../kit/inputs/field.tsx";
import { type Choice, Select } from "../../kit/inputs/select.tsx";
import { channelNames } from "../../outcomes/channel-names.ts";
import { outcomeNames } from "../../outcomes/outcome-names.ts";
import css from "./activity.module.css";
import { type ActivityFilters, ranges } from "./filters.ts";
import { words } from "./words.ts";

const any: Choice<string> = { value: "", label: words.any };

const choicesOf = (names: Record<string, string>): Choice<string>[] => [
  any,
  ...Object.entries(names).map(([value, label]) => ({ value, label })),
];

const rangeChoices: Choice<string>[] = [
  any,
  ...(Object.keys(ranges) as (keyof typeof ranges)[]).map((value) => ({ value, label: words.ranges[value] })),
];

type FilterBarProps = {
  filters: ActivityFilters;
  /** The reader moves on to the list. */
  onLeave: () => void;
};

export function FilterBar({ filters, onLeave }: FilterBarProps) {
  const navigate = useNavigate();
  const workflows = useOperation("workflows.list", { query: { limit: 100 } }, { staleTime: 60_000 });
  const set = (change: { [Name in keyof ActivityFilters]?: string | undefined }) =>
    void navigate({ to: "/activity", search: { ...filters, ...change } as ActivityFilters, replace: "q" in change });
  const known = (workflows.data?.workflows ?? []).map(({ workflowId, name }) => ({ value: workflowId, label: name }));
  // A link may name a workflow that is not among the first hundred.
  const isListed = filters.workflow === undefined || known.some(({ value }) => value === filters.workflow);
  const chosen = isListed ? [] : [{ value: filters.workflow!, label: filters.workflow! }];
  const selects = [
    { key: "outcome", name: words.outcome, choices: choicesOf(outcomeNames) },
    { key: "workflow", name: words.workflow, choices: [any, ...chosen, ...known] },
    { key: "channel", name: words.channel, choices: choicesOf(channelNames) },
    { key: "range", name: words.time, choices: rangeChoices },
  ] as const;
  return (
    <search className={css.bar}>
      <span className={css.search}>
        <DelayedSearch value={filters.q ?? ""} onChange={(text) => set({ q: text || undefined })} onLeave={onLeave} />
      </span>
      {selects.map(({ key, name, choices }) => (
        <Select
          key={key}
          name={name}
          value={filters[key] ?? ""}
          choices={choices}
          isSet={filters[key] !== undefined}
          onChange={(value) => set({ [key]: value || undefined })}
        />
      ))}
      {filters.subscriber !== undefined && (
        <span className={css.chip}>
          {words.subscriberFilter(filters.subscriber)}
          <IconButton
            label={words.removeSubscriber}
            icon="x"
            size="small"
            onClick={() => set({ subscriber: undefined })}
          />
        </span>
      )}
      {Object.keys(filters).length > 0 && (
        <Button look="plain" onClick={() => void navigate({ to: "/activity", search: {} })}>
          {words.clear}
        </Button>
      )}
    </search>
  );
}

const typingMs = 300;

type DelayedSearchProps = { value: string; onChange: (text: string) => void; onLeave: () => void };

/** Searches when the typing pauses. */
function DelayedSearch({ value, onChange, onLeave }: DelayedSearchProps) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only typing starts the pause
  useEffect(() => {
    if (text.trim() === value) return;
    const timer = setTimeout(() => onChange(text.trim()), typingMs);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <SearchField
      label={words.search}
      value={text}
      maxLength={255}
      onChange={(event) => setText(event.target.value)}
      onKeyDown={(event) => {
        if (event.key === "Enter" && text.trim() !== value) onChange(text.trim());
        if (event.key !== "ArrowDown") return;
        event.preventDefault();
        onLeave();
      }}
    />
  );
}
