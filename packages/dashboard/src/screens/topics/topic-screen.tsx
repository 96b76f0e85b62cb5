// A topic: who belongs to it, with which rules; people in bulk.
import { getRouteApi } from "@tanstack/react-router";
import type { TopicSubscription } from "@tidings/contract";
import { useState } from "react";
import { downloadFile } from "../../api/client.ts";
import { useOperation } from "../../api/hooks.ts";
import { useMay } from "../../api/permissions.ts";
import { Id } from "../../kit/data/code.tsx";
import { CursorPager } from "../../kit/data/cursor-pager.tsx";
import { ListBar, Selected } from "../../kit/data/list.tsx";
import { ListView } from "../../kit/data/list-view.tsx";
import { Table } from "../../kit/data/table.tsx";
import { Time } from "../../kit/data/time.tsx";
import { EmptyState, ErrorPanel } from "../../kit/feedback/states.tsx";
import { Badge } from "../../kit/feedback/verdict.tsx";
import { Button, LinkButton } from "../../kit/inputs/button.tsx";
import { Page } from "../../kit/layout/page.tsx";
import { useConfirm } from "../../kit/overlays/confirm.tsx";
import { showError } from "../../kit/overlays/toast.tsx";
import { useSettledText } from "../../kit/use-settled.ts";
import { PreferenceDialog } from "../../subscribers/preference-dialog.tsx";
import { SubscriberLink } from "../../subscribers/subscriber-link.tsx";
import { RulesDialog } from "./rules-dialog.tsx";
import { SubscribersDialog } from "./subscribers-dialog.tsx";
import { TopicMenu } from "./topic-dialogs.tsx";
import { useMemberChanges } from "./use-member-changes.ts";
import { words } from "./words.ts";

const topicRoute = getRouteApi("/shell/topics/$topicKey");

const say = words.topic;
const pageSize = 25;
const back = { to: "/topics", search: {}, label: say.back } as const;

type Opened =
  | { kind: "add" | "remove" | "preferenceOfAll" | "preference" }
  | { kind: "rules"; subscription: TopicSubscription };

export function TopicScreen() {
  const { topicKey } = topicRoute.useParams();
  const topic = useOperation("topics.retrieve", { params: { topicKey } });
  const [opened, setOpened] = useState<Opened | null>(null);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const may = useMay();
  const close = () => setOpened(null);
  const title = topic.data?.name || topicKey;
  const exportCsv = () =>
    void downloadFile("v1/exports/subscriptions.csv", { topicKey }, `${topicKey}.csv`).catch(showError);
  return (
    <Page
      title={title}
      back={back}
      lead={<Id text={topicKey} what={say.key} />}
      actions={
        topic.data && (
          <>
            {may("exports.subscriptions") && (
              <Button icon="download" onClick={exportCsv}>
                {say.export}
              </Button>
            )}
            {may("imports.create") && (
              <LinkButton icon="upload" to="/imports/new" search={{ kind: "subscriptions" }}>
                {say.import}
              </LinkButton>
            )}
            {may("topicSubscriptions.create") && (
              <Button look="primary" icon="plus" onClick={() => setOpened({ kind: "add" })}>
                {say.add}
              </Button>
            )}
            <TopicMenu
              topic={topic.data}
              more={[
                ...(may("topicSubscriptions.delete")
                  ? [
                      {
                        label: say.removeSubscribers,
                        icon: "x" as const,
                        onChoose: () => setOpened({ kind: "remove" }),
                      },
                    ]
                  : []),
                ...(may("preferences.updateMany")
                  ? [
                      {
                        label: say.preferenceOfAll,
                        icon: "bell" as const,
                        onChoose: () => setOpened({ kind: "preferenceOfAll" }),
                      },
                    ]
                  : []),
              ]}
            />
          </>
        )
      }
    >
      {topic.error ? (
        <ErrorPanel error={topic.error} onRetry={topic.refetch} />
      ) : (
        <Members topicKey={topicKey} selected={selected} onSelect={setSelected} onOpen={setOpened} />
      )}
      {(opened?.kind === "add" || opened?.kind === "remove") && (
        <SubscribersDialog topicKey={topicKey} mode={opened.kind} onClose={close} />
      )}
      {opened?.kind === "rules" && (
        <RulesDialog topicKey={topicKey} subscription={opened.subscription} onClose={close} />
      )}
      {opened?.kind === "preference" && <PreferenceDialog subscriberIds={[...selected]} onClose={close} />}
      {opened?.kind === "preferenceOfAll" && <PreferenceDialog topicKey={topicKey} onClose={close} />}
    </Page>
  );
}

type MembersProps = {
  topicKey: string;
  selected: ReadonlySet<string>;
  onSelect: (selected: Set<string>) => void;
  onOpen: (opened: Opened) => void;
};

function Members({ topicKey, selected, onSelect, onOpen }: MembersProps) {
  const { q, after, before } = topicRoute.useSearch();
  const navigate = topicRoute.useNavigate();
  const show = (changed: { q?: string; after?: string; before?: string }, replace = false) =>
    void navigate({ search: ({ env }) => ({ env, ...("q" in changed ? {} : q && { q }), ...changed }), replace });
  const [text, setText] = useSettledText(q ?? "", (settled) => show({ q: settled.trim() || undefined }, true));
  const { data, error, refetch } = useOperation(
    "topicSubscriptions.list",
    { params: { topicKey }, query: { limit: pageSize, after, before, subscriberId: q } },
    { keep: true },
  );
  const may = useMay();
  const { confirm, dialog } = useConfirm();
  const { change, isBusy } = useMemberChanges(topicKey, "remove");
  const removeSelected = () =>
    confirm(
      {
        title: say.removeTitle(selected.size),
        text: say.removeText,
        label: say.removeSelected,
        isDanger: true,
        isAlways: true,
      },
      () => void change([...selected]).then((result) => result && onSelect(new Set())),
    );
  const rows = data?.data;
  return (
    <>
      {dialog}
      <ListBar search={{ label: say.search, value: text, onChange: setText }} />
      {selected.size > 0 && (
        <Selected label={say.selected(selected.size)}>
          {may("preferences.updateMany") && (
            <Button size="small" onClick={() => onOpen({ kind: "preference" })}>
              {say.changePreference}
            </Button>
          )}
          {may("topicSubscriptions.delete") && (
            <Button size="small" look="danger" disabled={isBusy} onClick={removeSelected}>
              {say.removeSelected}
            </Button>
          )}
        </Selected>
      )}
      <ListView
        rows={rows}
        error={error}
        onRetry={refetch}
        empty={
          <EmptyState
            icon="users"
            title={q === undefined ? say.none : words.noMatch}
            text={q === undefined ? say.noneText : say.noMatchText}
            action={q !== undefined && <Button onClick={() => show({ q: undefined })}>{words.clear}</Button>}
          />
        }
      >
        {(rows) => (
          <Table
            label={say.subscriber}
            rows={rows}
            keyOf={({ subscriber }) => subscriber.subscriberId}
            selection={{ selected, onChange: onSelect, nameOf: ({ subscriber }) => subscriber.subscriberId }}
            columns={[
              { title: say.subscriber, cell: SubscriberCell },
              {
                title: say.contexts,
                cell: ({ contextKeys = [] }) =>
                  contextKeys.length === 0
                    ? words.nothing
                    : contextKeys.map((context) => <Badge key={context}>{context}</Badge>),
                isWideOnly: true,
              },
              { title: say.since, cell: ({ createdAt }) => <Time at={createdAt} isRelative />, isWideOnly: true },
              {
                title: "",
                cell: (subscription) => (
                  <Button
                    size="small"
                    aria-label={say.rulesOf(subscription.subscriber.subscriberId)}
                    onClick={() => onOpen({ kind: "rules", subscription })}
                  >
                    {say.rules}
                  </Button>
                ),
                isNumber: true,
              },
            ]}
          />
        )}
      </ListView>
      {data && <CursorPager page={data} onShow={show} />}
    </>
  );
}

function SubscriberCell({ subscriber: { subscriberId, firstName, lastName } }: TopicSubscription) {
  const subscriber = { subscriberId, firstName: firstName ?? undefined, lastName: lastName ?? undefined };
  return <SubscriberLink subscriber={subscriber} />;
}
