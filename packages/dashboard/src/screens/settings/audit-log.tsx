// Who changed what: filters in the URL, and for each change the fields before and after.
import { getRouteApi } from "@tanstack/react-router";
import type { AuditEntry } from "@tidings/contract";
import { useOperation } from "../../api/hooks.ts";
import { useMay } from "../../api/permissions.ts";
import { ListView } from "../../kit/data/list-view.tsx";
import { Pager } from "../../kit/data/table.tsx";
import { Time } from "../../kit/data/time.tsx";
import { Notice } from "../../kit/feedback/notice.tsx";
import { EmptyState } from "../../kit/feedback/states.tsx";
import { Button } from "../../kit/inputs/button.tsx";
import { Disclosure, DisclosureList } from "../../kit/layout/disclosure.tsx";
import { Muted, Row, Stack } from "../../kit/layout/layout.tsx";
import { AuditDetails } from "./audit-details.tsx";
import { ExportButton } from "./audit-export.tsx";
import { AuditFilters, useAuditFilters } from "./audit-filters.tsx";
import css from "./settings.module.css";
import { words } from "./words.ts";

const settingsRoute = getRouteApi("/shell/settings");

const text = words.audit;

export function AuditLog() {
  const may = useMay();
  return may("auditLog.list") ? <Changes /> : <Notice icon="key">{text.needsEditor}</Notice>;
}

function Changes() {
  const { after } = settingsRoute.useSearch();
  const { query, ...filters } = useAuditFilters();
  const { data, error, refetch } = useOperation(
    "auditLog.list",
    { query: { limit: 25, ...query, after } },
    { keep: true },
  );
  return (
    <Stack>
      <Row isApart>
        <Muted>{text.text}</Muted>
        <ExportButton query={query} />
      </Row>
      <AuditFilters {...filters} />
      <ListView
        rows={data?.data}
        error={error}
        onRetry={refetch}
        empty={
          filters.isFiltered ? (
            <EmptyState
              title={text.noMatch}
              text={text.noMatchText}
              action={<Button onClick={filters.clear}>{text.clear}</Button>}
            />
          ) : (
            <EmptyState icon="clock" title={text.none} text={text.noneText} />
          )
        }
      >
        {(rows) => (
          <DisclosureList label={text.list}>
            {rows.map((entry) => (
              <Change key={entry._id} entry={entry} />
            ))}
          </DisclosureList>
        )}
      </ListView>
      {data && (data.next || after) && (
        <Pager
          onPrevious={after ? () => filters.change({ after: undefined }) : undefined}
          onNext={data.next ? () => filters.change({ after: data.next! }) : undefined}
        />
      )}
    </Stack>
  );
}

function Change({ entry }: { entry: AuditEntry }) {
  const { actor, environmentName, createdAt } = entry;
  const name = nameOf(entry);
  return (
    <Disclosure
      title={
        <>
          <strong>{actor.name}</strong>{" "}
          {actor.type === "machine" && <span className={css.muted}>({text.machine})</span>} {entry.action}{" "}
          {name && <strong>{name}</strong>}
        </>
      }
      note={environmentName ?? undefined}
      end={<Time at={createdAt} isRelative />}
    >
      {() => <AuditDetails entry={entry} />}
    </Disclosure>
  );
}

const isId = (text: string): boolean => /^[0-9a-f]{8}-[0-9a-f-]{27}/.test(text);

/** What was changed: its name, or an identifier that can be read. */
const nameOf = ({ targetName, target }: AuditEntry): string | null =>
  targetName ?? (target !== null && !isId(target) ? target : null);
