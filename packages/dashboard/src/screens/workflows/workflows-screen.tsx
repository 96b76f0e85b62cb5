import { useOperation } from "../../api/hooks.ts";
import { Id } from "../../kit/code.tsx";
import { Page } from "../../kit/page.tsx";
import { EmptyState, ErrorPanel, Skeleton } from "../../kit/states.tsx";
import { Table } from "../../kit/table.tsx";
import { Time } from "../../kit/time.tsx";
import { words } from "./words.ts";

export function WorkflowsScreen() {
  const { data, error, refetch } = useOperation("workflows.list", { query: { limit: 100 } });
  return (
    <Page title={words.title} lead={words.lead}>
      {error && <ErrorPanel error={error} onRetry={refetch} />}
      {!data && !error && <Skeleton />}
      {data?.workflows.length === 0 && <EmptyState icon="workflow" title={words.none} text={words.noneText} />}
      {data && data.workflows.length > 0 && (
        <Table
          label={words.title}
          rows={data.workflows}
          keyOf={({ _id }) => _id}
          columns={[
            { title: words.name, cell: ({ name }) => name },
            { title: words.id, cell: ({ workflowId }) => <Id text={workflowId} what={words.id} />, isWideOnly: true },
            { title: words.updated, cell: ({ updatedAt }) => <Time at={updatedAt} isRelative /> },
          ]}
        />
      )}
    </Page>
  );
}
