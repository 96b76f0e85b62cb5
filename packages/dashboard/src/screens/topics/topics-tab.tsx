// The list of topics: found, created, renamed, deleted.
import type { Topic } from "@tidings/contract";
import { useState } from "react";
import { useOperation } from "../../api/hooks.ts";
import { useMay } from "../../api/permissions.ts";
import { CursorPager } from "../../kit/data/cursor-pager.tsx";
import { ListBar, NameLink } from "../../kit/data/list.tsx";
import { Table } from "../../kit/data/table.tsx";
import { Time } from "../../kit/data/time.tsx";
import { EmptyState, ErrorPanel, Skeleton } from "../../kit/feedback/states.tsx";
import { Button } from "../../kit/inputs/button.tsx";
import { CreateTopicDialog, TopicMenu } from "./topic-dialogs.tsx";
import { useTopicsSearch } from "./use-topics-search.ts";
import { words } from "./words.ts";

const say = words.topics;
const pageSize = 25;

export function TopicsTab() {
  const { search, show, text, setText, clear } = useTopicsSearch();
  const { q, after, before } = search;
  const [isCreating, setCreating] = useState(false);
  const may = useMay();
  const { data, error, refetch } = useOperation(
    "topics.list",
    { query: { limit: pageSize, after, before, name: q } },
    { keep: true },
  );
  const byKey = useOperation("topics.list", { query: { key: q } }, { enabled: q !== undefined, keep: true });
  const found = data && [...(q !== undefined ? (byKey.data?.data ?? []) : []), ...data.data];
  const rows = found && [...new Map(found.map((topic) => [topic.key, topic])).values()];
  return (
    <>
      <ListBar
        search={{ label: say.search, value: text, onChange: setText }}
        actions={
          may("topics.create") && (
            <Button look="primary" icon="plus" onClick={() => setCreating(true)}>
              {say.create}
            </Button>
          )
        }
      />
      {error && <ErrorPanel error={error} onRetry={refetch} />}
      {!rows && !error && <Skeleton />}
      {rows?.length === 0 && q === undefined && <EmptyState icon="users" title={say.none} text={say.noneText} />}
      {rows?.length === 0 && q !== undefined && (
        <EmptyState
          title={words.noMatch}
          text={say.noMatchText}
          action={<Button onClick={clear}>{words.clear}</Button>}
        />
      )}
      {rows && rows.length > 0 && (
        <Table
          label={words.tabs.topics}
          rows={rows}
          keyOf={({ key }) => key}
          columns={[
            { title: say.name, cell: NameCell },
            { title: words.created, cell: ({ createdAt }) => <When at={createdAt} />, isWideOnly: true },
            { title: words.updated, cell: ({ updatedAt }) => <When at={updatedAt} />, isWideOnly: true },
            { title: "", cell: (topic) => <TopicMenu topic={topic} />, isNumber: true },
          ]}
        />
      )}
      {data && <CursorPager page={data} onShow={show} />}
      {isCreating && <CreateTopicDialog onClose={() => setCreating(false)} />}
    </>
  );
}

const NameCell = ({ key, name }: Topic) => (
  <NameLink to="/topics/$topicKey" params={{ topicKey: key }} search={{}} name={name || key} id={key} />
);

const When = ({ at }: { at: string | undefined }) => (at ? <Time at={at} isRelative /> : words.nothing);
