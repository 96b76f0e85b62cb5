import { useOperation } from "../../api/hooks.ts";
import { Page } from "../../kit/page.tsx";
import { EmptyState, ErrorPanel, Skeleton } from "../../kit/states.tsx";
import { Table } from "../../kit/table.tsx";
import { Badge } from "../../kit/verdict.tsx";
import { words } from "./words.ts";

export function IntegrationsScreen() {
  const { data, error, refetch } = useOperation("integrations.list", {});
  return (
    <Page title={words.title} lead={words.lead}>
      {error && <ErrorPanel error={error} onRetry={refetch} />}
      {!data && !error && <Skeleton />}
      {data?.length === 0 && <EmptyState icon="plug" title={words.none} text={words.noneText} />}
      {data && data.length > 0 && (
        <Table
          label={words.title}
          rows={data}
          keyOf={({ identifier }) => identifier}
          columns={[
            { title: words.name, cell: ({ name }) => name },
            { title: words.provider, cell: ({ providerId }) => providerId },
            { title: words.channel, cell: ({ channel }) => channel, isWideOnly: true },
            {
              title: words.state,
              cell: ({ active }) => (
                <Badge tone={active ? "good" : "quiet"}>{active ? words.active : words.inactive}</Badge>
              ),
            },
          ]}
        />
      )}
    </Page>
  );
}
