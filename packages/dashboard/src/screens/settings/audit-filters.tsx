// The filters of the audit log, which are in the address.
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import type { Input } from "@tidings/contract";
import { useMemo } from "react";
import { useOperation } from "../../api/hooks.ts";
import { useMay } from "../../api/permissions.ts";
import { useSession } from "../../api/session.tsx";
import { Button } from "../../kit/inputs/button.tsx";
import { TextField } from "../../kit/inputs/field.tsx";
import { Select } from "../../kit/inputs/select.tsx";
import { Row } from "../../kit/layout/layout.tsx";
import { type AuditRange, auditRanges, type SettingsSearch } from "./search.ts";
import css from "./settings.module.css";
import { words } from "./words.ts";

const settingsRoute = getRouteApi("/shell/settings");

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
  const { member, operation, environment, range, from, to } = settingsRoute.useSearch();
  const navigate = useNavigate();
  // The times are fixed once per choice: with the current time, every render would be a different query.
  const times = useMemo(() => timesOf(range, from, to), [range, from, to]);
  const change = (changed: Partial<SettingsSearch>) =>
    void navigate({
      to: "/settings",
      search: (old) => ({ env: old.env, tab: "audit", member, operation, environment, range, from, to, ...changed }),
    });
  return {
    query: { person: member, operation, environment, ...times },
    isFiltered: [member, operation, environment, range].some((value) => value !== undefined),
    change,
    clear: () =>
      change({
        member: undefined,
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
  const { member, operation, environment, range, from, to } = settingsRoute.useSearch();
  const { environments } = useSession();
  const may = useMay();
  const members = useOperation("people.list", {}, { enabled: may("people.list") });
  const first = { value: any, label: text.any };
  return (
    <>
      <Row>
        {members.data && (
          <Select
            name={text.member}
            value={member ?? any}
            isSet={member !== undefined}
            onChange={(value) => change({ member: value || undefined })}
            choices={[first, ...members.data.data.map(({ _id, name }) => ({ value: _id, label: name }))]}
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
