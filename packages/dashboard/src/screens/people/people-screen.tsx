// Search for a person.
import { Link, useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { downloadFile } from "../../api/client.ts";
import { useMay } from "../../app/permissions.ts";
import { Button, LinkButton } from "../../kit/button.tsx";
import { SearchField } from "../../kit/field.tsx";
import { Selected } from "../../kit/list.tsx";
import { Page } from "../../kit/page.tsx";
import { EmptyState, ErrorPanel, Skeleton } from "../../kit/states.tsx";
import { Pager, Table } from "../../kit/table.tsx";
import { Time } from "../../kit/time.tsx";
import { showError } from "../../kit/toast.tsx";
import { Dot } from "../../kit/verdict.tsx";
import { PreferenceDialog } from "../audience/preference-dialog.tsx";
import { Avatar, nameOf } from "./avatar.tsx";
import css from "./people.module.css";
import { peopleRoute } from "./routes.ts";
import { usePeople } from "./use-people.ts";
import { words } from "./words.ts";

const exportCsv = () => void downloadFile("v1/exports/subscribers.csv", {}, "subscribers.csv").catch(showError);

/** How long a person pauses before the text is looked for. */
const pauseMs = 250;

export function PeopleScreen() {
  const { q = "", after, before } = peopleRoute.useSearch();
  const navigate = useNavigate();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [isChanging, setChanging] = useState(false);
  const may = useMay();
  const [text, setText] = useState(q);
  useEffect(() => setText(q), [q]);
  useEffect(() => {
    if (text.trim() === q) return;
    const timer = setTimeout(() => show({ q: text.trim() || undefined }), pauseMs);
    return () => clearTimeout(timer);
  });
  const show = (search: { q?: string; after?: string; before?: string }) =>
    void navigate({ to: "/people", search: (old) => ({ env: old.env, ...search }), replace: search.q !== undefined });
  const { rows, error, refetch, next, previous, count, isCapped = false } = usePeople(q, after, before);
  return (
    <Page
      title={words.title}
      lead={words.lead}
      actions={
        <>
          <Button icon="download" onClick={exportCsv}>
            {words.exportCsv}
          </Button>
          {may("imports.create") && (
            <LinkButton icon="upload" to="/imports/new" search={{}}>
              {words.importCsv}
            </LinkButton>
          )}
        </>
      }
    >
      <div className={css.search}>
        <SearchField
          label={words.search}
          aria-label={words.searchLabel}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      </div>
      {selected.size > 0 && (
        <Selected label={words.selected(selected.size)}>
          <Button size="small" onClick={() => setChanging(true)}>
            {words.changePreference}
          </Button>
          <Button size="small" look="plain" onClick={() => setSelected(new Set())}>
            {words.clearSelection}
          </Button>
        </Selected>
      )}
      {isChanging && <PreferenceDialog subscriberIds={[...selected]} onClose={() => setChanging(false)} />}
      {error && <ErrorPanel error={error} onRetry={refetch} />}
      {!rows && !error && <Skeleton />}
      {rows?.length === 0 && q === "" && <EmptyState icon="users" title={words.none} text={words.noneText} />}
      {rows?.length === 0 && q !== "" && (
        <EmptyState
          title={words.noMatch}
          text={words.noMatchText}
          action={<Button onClick={() => show({})}>{words.clear}</Button>}
        />
      )}
      {rows && rows.length > 0 && (
        <Table
          label={words.title}
          rows={rows}
          keyOf={({ subscriberId }) => subscriberId}
          selection={may("preferences.updateMany") ? { selected, onChange: setSelected, nameOf } : undefined}
          columns={[
            {
              title: words.name,
              cell: (person) => (
                <Link to="/people/$subscriberId" params={{ subscriberId: person.subscriberId }} className={css.person}>
                  <Avatar person={person} />
                  <span className={css.personText}>
                    <span className={css.personName}>
                      {nameOf(person)}
                      {person.isOnline && (
                        <span title={words.online}>
                          <Dot tone="good" />
                        </span>
                      )}
                    </span>
                    <span className={css.personNote}>{person.subscriberId}</span>
                  </span>
                </Link>
              ),
            },
            {
              title: words.email,
              cell: ({ email }) => <span className={css.cell}>{email ?? words.nothing}</span>,
              isWideOnly: true,
            },
            { title: words.phone, cell: ({ phone }) => phone ?? words.nothing, isWideOnly: true },
            { title: words.since, cell: ({ createdAt }) => <Time at={createdAt} isRelative />, isWideOnly: true },
          ]}
        />
      )}
      {rows && (next || previous) && (
        <Pager
          note={count !== undefined && words.count(count, isCapped)}
          onPrevious={previous ? () => show({ before: previous }) : undefined}
          onNext={next ? () => show({ after: next }) : undefined}
        />
      )}
    </Page>
  );
}
