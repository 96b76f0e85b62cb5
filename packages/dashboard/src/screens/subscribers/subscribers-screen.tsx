// Search for a person.
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { downloadFile } from "../../api/client.ts";
import { useMay } from "../../api/permissions.ts";
import { Selected } from "../../kit/data/list.tsx";
import { Pager, Table } from "../../kit/data/table.tsx";
import { Time } from "../../kit/data/time.tsx";
import { EmptyState, ErrorPanel, Skeleton } from "../../kit/feedback/states.tsx";
import { Dot } from "../../kit/feedback/verdict.tsx";
import { Button, LinkButton } from "../../kit/inputs/button.tsx";
import { SearchField } from "../../kit/inputs/field.tsx";
import { Page } from "../../kit/layout/page.tsx";
import { showError } from "../../kit/overlays/toast.tsx";
import { nameOf } from "../../subscribers/avatar.tsx";
import { PreferenceDialog } from "../../subscribers/preference-dialog.tsx";
import { SubscriberLink } from "../../subscribers/subscriber-link.tsx";
import { AddDialog } from "./add-dialog.tsx";
import { AudienceFilter } from "./audience-filter.tsx";
import css from "./subscribers.module.css";
import { useSubscribers } from "./use-subscribers.ts";
import { words } from "./words.ts";

const subscribersRoute = getRouteApi("/shell/subscribers");

const exportCsv = () => void downloadFile("v1/exports/subscribers.csv", {}, "subscribers.csv").catch(showError);

/** How long typing pauses before the search starts. */
const pauseMs = 250;

export function SubscribersScreen() {
  const { q = "", audience, after, before } = subscribersRoute.useSearch();
  const navigate = useNavigate();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [isChanging, setChanging] = useState(false);
  const [isAdding, setAdding] = useState(false);
  const may = useMay();
  const [text, setText] = useState(q);
  useEffect(() => setText(q), [q]);
  useEffect(() => {
    if (text.trim() === q) return;
    const timer = setTimeout(() => show({ q: text.trim() || undefined }), pauseMs);
    return () => clearTimeout(timer);
  });
  const show = (search: { q?: string; audience?: string; after?: string; before?: string }) =>
    void navigate({
      to: "/subscribers",
      search: ({ env }) => ({ env, audience, ...search }),
      replace: search.q !== undefined,
    });
  const {
    rows,
    error,
    refetch,
    next,
    previous,
    count,
    isCapped = false,
  } = useSubscribers({
    text: q,
    audienceId: audience,
    after,
    before,
  });
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
          {may("subscribers.create") && (
            <Button icon="plus" look="primary" onClick={() => setAdding(true)}>
              {words.add.open}
            </Button>
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
        <AudienceFilter chosen={audience} onChoose={(chosen) => show({ ...(q && { q }), audience: chosen })} />
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
      {isAdding && <AddDialog onClose={() => setAdding(false)} />}
      {isChanging && <PreferenceDialog subscriberIds={[...selected]} onClose={() => setChanging(false)} />}
      {error && <ErrorPanel error={error} onRetry={refetch} />}
      {!rows && !error && <Skeleton />}
      {rows?.length === 0 && q === "" && audience === undefined && (
        <EmptyState icon="users" title={words.none} text={words.noneText} />
      )}
      {rows?.length === 0 && (q !== "" || audience !== undefined) && (
        <EmptyState
          title={words.noMatch}
          text={q === "" ? words.noneInAudience : words.noMatchText}
          action={<Button onClick={() => show({ audience: undefined })}>{words.clear}</Button>}
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
              cell: (subscriber) => (
                <SubscriberLink
                  subscriber={subscriber}
                  mark={
                    subscriber.isOnline && (
                      <span title={words.online}>
                        <Dot tone="good" />
                      </span>
                    )
                  }
                />
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
