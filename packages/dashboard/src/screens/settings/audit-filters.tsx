// The filters of the audit log, which are in the address.
import { useNavigate } from "@tanstack/react-router";
import type { Input } from "@tidings/contract";
import { useMemo } from "react";
import { useOperation } from "../../api/hooks.ts";
import { useMay } from "../../app/permissions.ts";
import { useSession } from "../../app/session.tsx";
import { Button } from "../../kit/button.tsx";
import { TextField } from "../../kit/field.tsx";
import { Row } from "../../kit/layout.tsx";
import { Select } from "../../kit/select.tsx";
import { type AuditRange, auditRanges, type SettingsSearch, settingsRoute } from "./routes.ts";
import css from "./settings.module.css";
import { words } from "./words.ts";

const text = words.audit;
const any = "";
const dayMs = 86_400_000;

export type AuditQuery = Pick<Input<"auditLog.list">["query"], "person" | "operation" | "environment" | "from" | "to">;

type Filters = {
  query: AuditQuery;
  isFiltered: boolean;
  change: (changed: Partial<SettingsSearch>) => void;
  clear: () => void;
};

export function useAuditFilters(): Filters {
  const { person, operation, environment, range, from, to } = settingsRoute.useSearch();
  const navigate = useNavigate();
  // A time of its own for each choice: with the present, every draw would be another question.
  const times = useMemo(() => timesOf(range, from, to), [range, from, to]);
  const change = (changed: Partial<SettingsSearch>) =>
    void navigate({
      to: "/settings",
      search: (old) => ({ env: old.env, tab: "audit", person, operation, environment, range, from, to, ...changed }),
    });
  return {
    query: { person, operation, environment, ...times },
    isFiltered: [person, operation, environment, range].some((value) => value !== undefined),
    change,
    clear: () =>
      change({
        person: undefined,
        operation: undefined,
        environment: undefined,
        range: undefined,
        from: undefined,
        to: undefined,
      }),
  };
}

/** Days are those of the reader: from the first midnight to the one behind the last day. */
function timesOf(range: AuditRange | undefined, from?: string, to?: string): Pick<AuditQuery, "from" | "to"> {
  if (range === undefined) return {};
  if (range !== "custom") return { from: new Date(Date.now() - auditRanges[range]).toISOString() };
  const midnight = (day: string) => new Date(`${day}T00:00:00`).getTime();
  return {
    ...(from !== undefined && { from: new Date(midnight(from)).toISOString() }),
    ...(to !== undefined && { to: new Date(midnight(to) + dayMs).toISOString() }),
  };
}

export function AuditFilters({ change, clear, isFiltered }: Omit<Filters, "query">) {
  const { person, operation, environment, range, from, to } = settingsRoute.useSearch();
  const { environments } = useSession();
  const may = useMay();
  const people = useOperation("people.list", {}, { enabled: may("people.list") });
  const first = { value: any, label: text.any };
  return (
    <>
      <Row>
        {people.data && (
          <Select
            name={text.person}
            value={person ?? any}
            isSet={person !== undefined}
            onChange={(value) => change({ person: value || undefined })}
            choices={[first, ...people.data.data.map(({ _id, name }) => ({ value: _id, label: name }))]}
          />
        )}
        <Select
          name={text.what}
          value={operation ?? any}
          isSet={operation !== undefined}
          onChange={(value) => change({ operation: value || undefined })}
          choices={[first, ...Object.entries(text.resources).map(([value, label]) => ({ value, label }))]}
        />
        <Select
          name={text.environment}
          value={environment ?? any}
          isSet={environment !== undefined}
          onChange={(value) => change({ environment: value || undefined })}
          choices={[first, ...environments.map(({ _id, name }) => ({ value: _id, label: name }))]}
        />
        <Select
          name={text.time}
          value={range ?? any}
          isSet={range !== undefined}
          onChange={(value) =>
            change({ range: (value || undefined) as AuditRange | undefined, from: undefined, to: undefined })
          }
          choices={[first, ...Object.entries(text.ranges).map(([value, label]) => ({ value, label }))]}
        />
        {isFiltered && (
          <Button look="plain" onClick={clear}>
            {text.clear}
          </Button>
        )}
      </Row>
      {range === "custom" && (
        <div className={css.dates}>
          <TextField
            label={text.from}
            type="date"
            value={from ?? ""}
            max={to}
            onChange={({ target }) => change({ from: target.value || undefined })}
          />
          <TextField
            label={text.to}
            type="date"
            value={to ?? ""}
            min={from}
            onChange={({ target }) => change({ to: target.value || undefined })}
          />
        </div>
      )}
    </>
  );
}
