// Who changed what: filters in the URL, and for each change the fields before and after.
import { useNavigate } from "@tanstack/react-router";
import type { AuditEntry } from "@tidings/contract";
import { type ReactNode, useMemo } from "react";
import { useOperation } from "../../api/hooks.ts";
import { useMay } from "../../app/permissions.ts";
import { useSession } from "../../app/session.tsx";
import { Button } from "../../kit/button.tsx";
import { InlineCode } from "../../kit/code.tsx";
import { Disclosure, DisclosureList } from "../../kit/disclosure.tsx";
import { Tools } from "../../kit/layout.tsx";
import { Notice } from "../../kit/notice.tsx";
import { Select } from "../../kit/select.tsx";
import { EmptyState, ErrorPanel, Skeleton } from "../../kit/states.tsx";
import { Pager } from "../../kit/table.tsx";
import { Time } from "../../kit/time.tsx";
import { AuditDetails } from "./audit-details.tsx";
import { type AuditRange, auditRanges, type SettingsSearch, settingsRoute } from "./routes.ts";
import css from "./settings.module.css";
import { words } from "./words.ts";

const text = words.audit;
const any = "";

export function AuditLog() {
  const may = useMay();
  return may("auditLog.list") ? <Changes /> : <Notice icon="key">{text.needsEditor}</Notice>;
}

function Changes() {
  const { person, operation, environment, range, after } = settingsRoute.useSearch();
  const navigate = useNavigate();
  const { environments } = useSession();
  const may = useMay();
  const people = useOperation("people.list", {}, { enabled: may("people.list") });
  // A time of its own for each choice: with the present, every draw would be another question.
  const from = useMemo(() => range && new Date(Date.now() - auditRanges[range]).toISOString(), [range]);
  const { data, error, refetch } = useOperation(
    "auditLog.list",
    { query: { limit: 25, person, operation, environment, from, after } },
    { keep: true },
  );
  const filter = (changed: Partial<SettingsSearch>) =>
    void navigate({
      to: "/settings",
      search: (old) => ({ env: old.env, tab: "audit", person, operation, environment, range, ...changed }),
    });
  const isFiltered = [person, operation, environment, range].some((value) => value !== undefined);
  const clear = () => filter({ person: undefined, operation: undefined, environment: undefined, range: undefined });
  const first = { value: any, label: text.any };
  return (
    <div className={css.stack}>
      <p className={css.muted}>{text.text}</p>
      <Tools>
        {people.data && (
          <Select
            name={text.person}
            value={person ?? any}
            isSet={person !== undefined}
            onChange={(value) => filter({ person: value || undefined })}
            choices={[first, ...people.data.data.map(({ _id, name }) => ({ value: _id, label: name }))]}
          />
        )}
        <Select
          name={text.what}
          value={operation ?? any}
          isSet={operation !== undefined}
          onChange={(value) => filter({ operation: value || undefined })}
          choices={[first, ...Object.entries(text.resources).map(([value, label]) => ({ value, label }))]}
        />
        <Select
          name={text.environment}
          value={environment ?? any}
          isSet={environment !== undefined}
          onChange={(value) => filter({ environment: value || undefined })}
          choices={[first, ...environments.map(({ _id, name }) => ({ value: _id, label: name }))]}
        />
        <Select
          name={text.time}
          value={range ?? any}
          isSet={range !== undefined}
          onChange={(value) => filter({ range: (value || undefined) as AuditRange | undefined })}
          choices={[first, ...Object.entries(text.ranges).map(([value, label]) => ({ value, label }))]}
        />
        {isFiltered && (
          <Button look="plain" onClick={clear}>
            {text.clear}
          </Button>
        )}
      </Tools>
      {error && <ErrorPanel error={error} onRetry={refetch} />}
      {!data && !error && <Skeleton />}
      {data?.data.length === 0 &&
        (isFiltered ? (
          <EmptyState
            title={text.noMatch}
            text={text.noMatchText}
            action={<Button onClick={clear}>{text.clear}</Button>}
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
          onPrevious={after ? () => filter({ after: undefined }) : undefined}
          onNext={data.next ? () => filter({ after: data.next! }) : undefined}
        />
      )}
    </div>
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
  const name = [after?.name, before?.name, after?.email, target].find((value) => typeof value === "string");
  return typeof name === "string" ? name : null;
}
