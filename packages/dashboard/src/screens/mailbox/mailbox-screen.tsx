// The mailbox of captured messages: the list, and next to it the open message. A narrow screen shows one of the two.
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { triggerCurl } from "../../api/curl.ts";
import { useOperation } from "../../api/hooks.ts";
import { useEnvironment } from "../../api/session.tsx";
import { EmptyState, ErrorPanel, Skeleton } from "../../kit/feedback/states.tsx";
import { Button } from "../../kit/inputs/button.tsx";
import { Page } from "../../kit/layout/page.tsx";
import { DeleteAll } from "./delete-all.tsx";
import css from "./mailbox.module.css";
import { MailboxBar } from "./mailbox-bar.tsx";
import { MessageList } from "./message-list.tsx";
import { MessagePane } from "./message-pane.tsx";
import type { MailboxSearch } from "./search.ts";
import { words } from "./words.ts";

const mailboxRoute = getRouteApi("/shell/mailbox");

const pollMs = 2_000;
const pageSize = 50;

export function MailboxScreen() {
  const search = mailboxRoute.useSearch();
  const { channel, q, id, after, before } = search;
  const navigate = useNavigate();
  const list = useOperation(
    "captured.list",
    { query: { limit: pageSize, content: "summary", channel, search: q, after, before } },
    { every: pollMs, keep: true },
  );
  const change = (changed: MailboxSearch, replace = false) =>
    void navigate({ to: "/mailbox", search: { ...search, ...changed }, replace });
  /** Another filter begins at the newest message. */
  const filter = (changed: MailboxSearch) => change({ ...changed, after: undefined, before: undefined }, true);
  const rows = list.data?.data;
  const isFiltered = channel !== undefined || q !== undefined;
  const closeMessage = (gone: string) => {
    const index = rows?.findIndex((row) => row.id === gone) ?? -1;
    const next = rows?.[index + 1] ?? rows?.[index - 1];
    change({ id: index < 0 ? undefined : next?.id, view: undefined }, true);
  };
  return (
    <Page
      title={words.title}
      lead={words.lead}
      actions={rows && rows.length > 0 && !q && <DeleteAll channel={channel} count={list.data!.totalCount} />}
    >
      <div className={css.screen} data-reading={id !== undefined}>
        <MailboxBar search={search} onChange={filter} />
        {list.error && <ErrorPanel error={list.error} onRetry={list.refetch} />}
        {!rows && !list.error && <Skeleton />}
        {rows?.length === 0 && id === undefined && (
          <Nothing isFiltered={isFiltered} onClear={() => filter(noFilters)} />
        )}
        {rows && (rows.length > 0 || id !== undefined) && (
          <div className={css.columns}>
            <MessageList page={list.data!} chosen={id} onPage={(page) => change({ ...noPage, ...page })} />
            <div className={css.pane}>
              {id === undefined ? (
                <EmptyState icon="mail" title={words.choose} text={words.chooseText} />
              ) : (
                <MessagePane
                  key={id}
                  id={id}
                  view={search.view}
                  onView={(view) => change({ view }, true)}
                  onGone={() => closeMessage(id)}
                />
              )}
            </div>
          </div>
        )}
      </div>
    </Page>
  );
}

const noPage = { after: undefined, before: undefined };
const noFilters = { channel: undefined, q: undefined };

function Nothing({ isFiltered, onClear }: { isFiltered: boolean; onClear: () => void }) {
  const { type } = useEnvironment();
  if (isFiltered)
    return (
      <EmptyState
        icon="filter"
        title={words.noMatch}
        text={words.noMatchText}
        action={<Button onClick={onClear}>{words.clear}</Button>}
      />
    );
  if (type === "prod") return <EmptyState icon="mail" title={words.none} text={words.noneProduction} />;
  return (
    <EmptyState
      icon="mail"
      title={words.none}
      text={words.noneText}
      command={triggerCurl({
        name: "welcome",
        to: { subscriberId: "ada", email: "ada@example.com" },
        payload: { name: "Ada" },
      })}
    />
  );
}
