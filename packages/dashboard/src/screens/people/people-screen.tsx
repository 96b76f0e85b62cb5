import { useOperation } from "../../api/hooks.ts";
import { Id } from "../../kit/code.tsx";
import { Page } from "../../kit/page.tsx";
import { EmptyState, ErrorPanel, Skeleton } from "../../kit/states.tsx";
import { Table } from "../../kit/table.tsx";
import { words } from "./words.ts";

export function PeopleScreen() {
  const { data, error, refetch } = useOperation("subscribers.list", { query: { limit: 50 } });
  return (
    <Page title={words.title} lead={words.lead}>
      {error && <ErrorPanel error={error} onRetry={refetch} />}
      {!data && !error && <Skeleton />}
      {data?.data.length === 0 && <EmptyState icon="users" title={words.none} text={words.noneText} />}
      {data && data.data.length > 0 && (
        <Table
          label={words.title}
          rows={data.data}
          keyOf={({ subscriberId }) => subscriberId}
          columns={[
            { title: words.id, cell: ({ subscriberId }) => <Id text={subscriberId} what={words.id} /> },
            { title: words.name, cell: ({ firstName, lastName }) => [firstName, lastName].filter(Boolean).join(" ") },
            { title: words.email, cell: ({ email }) => email, isWideOnly: true },
          ]}
        />
      )}
    </Page>
  );
}
