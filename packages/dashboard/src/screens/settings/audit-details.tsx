// One change: each field that differs, before and after.
import type { AuditEntry } from "@tidings/contract";
import { Table } from "../../kit/data/table.tsx";
import { Time } from "../../kit/data/time.tsx";
import { Muted } from "../../kit/layout/layout.tsx";
import { Facts } from "../../kit/layout/page.tsx";
import css from "./settings.module.css";
import { words } from "./words.ts";

const text = words.audit;

export function AuditDetails({ entry }: { entry: AuditEntry }) {
  const { before, after, address, userAgent, createdAt, target, operation } = entry;
  const fields = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return (
    <>
      {fields.length === 0 ? (
        <Muted>{text.noChange}</Muted>
      ) : (
        <Table
          label={`${text.before}, ${text.after}`}
          rows={fields}
          keyOf={(field) => field}
          columns={[
            { title: text.field, cell: (field) => <strong>{field}</strong> },
            { title: text.before, cell: (field) => <Value of={before} field={field} look="before" /> },
            { title: text.after, cell: (field) => <Value of={after} field={field} look="after" /> },
          ]}
        />
      )}
      <Facts
        of={[
          [text.operation, operation],
          [text.time, <Time key="time" at={createdAt} />],
          [text.target, target],
          [text.address, address],
          [text.agent, userAgent],
        ]}
      />
    </>
  );
}

type ValueProps = { of: AuditEntry["before"]; field: string; look: "before" | "after" };

function Value({ of, field, look }: ValueProps) {
  const value = of?.[field];
  if (value === undefined || value === null) return <span className={css.muted}>{text.nothing}</span>;
  return (
    <code className={css.value} data-look={look}>
      {typeof value === "string" ? value : JSON.stringify(value, null, 1)}
    </code>
  );
}
