// Who changed what: filters in the URL, and for each change the fields before and after.
import type { AuditEntry } from "@tidings/contract";
import type { ReactNode } from "react";
import { useOperation } from "../../api/hooks.ts";
import { useMay } from "../../app/permissions.ts";
import { useSession } from "../../app/session.tsx";
import { Button } from "../../kit/button.tsx";
import { InlineCode } from "../../kit/code.tsx";
import { Disclosure, DisclosureList } from "../../kit/disclosure.tsx";
import { Muted, Row, Stack } from "../../kit/layout.tsx";
import { Notice } from "../../kit/notice.tsx";
import { EmptyState, ErrorPanel, Skeleton } from "../../kit/states.tsx";
import { Pager } from "../../kit/table.tsx";
import { Time } from "../../kit/time.tsx";
import { AuditDetails } from "./audit-details.tsx";
import { ExportButton } from "./audit-export.tsx";
import { AuditFilters, useAuditFilters } from "./audit-filters.tsx";
import { settingsRoute } from "./routes.ts";
import css from "./settings.module.css";
import { words } from "./words.ts";

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
      {error && <ErrorPanel error={error} onRetry={refetch} />}
      {!data && !error && <Skeleton />}
      {data?.data.length === 0 &&
        (filters.isFiltered ? (
          <EmptyState
            title={text.noMatch}
            text={text.noMatchText}
            action={<Button onClick={filters.clear}>{text.clear}</Button>}
          />
        ) : (
          <EmptyState icon="clock" title={text.none} text={text.noneText} />
        ))}
      {data && data.data.length > 0 && (
        <DisclosureList label={text.list}>
          {data.data.map((entry) => (
            <Change key={entry._id} entry={entry} />
          ))}
        </DisclosureList>
      )}
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
  const { environments } = useSession();
  const { actor, environmentId, createdAt } = entry;
  const environment = environments.find(({ _id }) => _id === environmentId);
  return (
    <Disclosure
      title={
        <>
          <strong>{actor.name}</strong>{" "}
          {actor.type === "machine" && <span className={css.muted}>({text.machine})</span>} {sentenceOf(entry)}
        </>
      }
      note={[environment?.name, nameOf(entry)].filter(Boolean).join(" · ")}
      end={<Time at={createdAt} isRelative />}
    >
      {() => <AuditDetails entry={entry} />}
    </Disclosure>
  );
}

/** "changed the workflow", or the id of the operation where there is no sentence for it. */
function sentenceOf({ operation }: AuditEntry): ReactNode {
  const [noun = "", verb = ""] = operation.split(".");
  if (operation in text.others) return text.others[operation];
  if (verb in text.verbs && noun in text.nouns)
    return `${text.verbs[verb as keyof typeof text.verbs]} ${text.nouns[noun as keyof typeof text.nouns]}`;
  return <InlineCode>{operation}</InlineCode>;
}

/** What was changed: its name where the entry has one. */
function nameOf({ before, after, target }: AuditEntry): string | null {
  // A record that was made is in the request.
  const made = after?.request as { name?: unknown; email?: unknown } | null | undefined;
  const names = [after?.name, before?.name, after?.email, made?.name, made?.email, target];
  const name = names.find((value) => typeof value === "string");
  return typeof name === "string" ? name : null;
}
