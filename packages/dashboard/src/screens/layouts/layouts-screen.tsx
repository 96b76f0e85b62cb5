// The list of layouts.
import type { Layout } from "@tidings/contract";
import { useState } from "react";
import { useOperation } from "../../api/hooks.ts";
import { useMay } from "../../app/permissions.ts";
import { Button } from "../../kit/button.tsx";
import { ListBar, NameLink } from "../../kit/list.tsx";
import { Page } from "../../kit/page.tsx";
import { EmptyState, ErrorPanel, Skeleton } from "../../kit/states.tsx";
import { Pager, Table } from "../../kit/table.tsx";
import { Time } from "../../kit/time.tsx";
import { useSettledText } from "../../kit/use-settled.ts";
import { Badge } from "../../kit/verdict.tsx";
import { CreateLayoutDialog, LayoutMenu } from "./layout-dialogs.tsx";
import { type LayoutSearch, layoutsRoute } from "./routes.ts";
import { words } from "./words.ts";

const pageSize = 25;

export function LayoutsScreen() {
  const { q, page = 0 } = layoutsRoute.useSearch();
  const navigate = layoutsRoute.useNavigate();
  const show = (changed: LayoutSearch, replace = false) =>
    void navigate({ search: ({ env }) => ({ env, ...changed }), replace });
  const [text, setText] = useSettledText(q ?? "", (settled) => show(settled.trim() ? { q: settled.trim() } : {}, true));
  const [isCreating, setCreating] = useState(false);
  const may = useMay();
  const { data, error, refetch } = useOperation(
    "layouts.list",
    { query: { limit: pageSize, offset: page * pageSize, orderBy: "updatedAt", query: q } },
    { keep: true },
  );
  const rows = data?.layouts;
  const from = page * pageSize;
  return (
    <Page
      title={words.title}
      lead={words.lead}
      actions={
        may("layouts.create") && (
          <Button look="primary" icon="plus" onClick={() => setCreating(true)}>
            {words.create}
          </Button>
        )
      }
    >
      <ListBar search={{ label: words.search, value: text, onChange: setText }} />
      {error && <ErrorPanel error={error} onRetry={refetch} />}
      {!rows && !error && <Skeleton />}
      {rows?.length === 0 && (
        <EmptyState
          icon={q === undefined ? "layout" : "search"}
          title={q === undefined ? words.none : words.noMatch}
          text={q === undefined ? words.noneText : words.noMatchText}
          action={q !== undefined && <Button onClick={() => show({})}>{words.clear}</Button>}
        />
      )}
      {rows && rows.length > 0 && (
        <Table
          label={words.title}
          rows={rows}
          keyOf={({ _id }) => _id}
          columns={[
            {
              title: words.name,
              cell: ({ layoutId, name }) => (
                <NameLink to="/layouts/$layoutId" params={{ layoutId }} name={name} id={layoutId} />
              ),
            },
            { title: words.state, cell: StateCell },
            { title: words.updated, cell: ({ updatedAt }) => <Time at={updatedAt} isRelative />, isWideOnly: true },
            { title: "", cell: (layout) => <LayoutMenu layout={layout} />, isNumber: true },
          ]}
        />
      )}
      {data && data.totalCount > pageSize && (
        <Pager
          note={words.count(from + 1, from + data.layouts.length, data.totalCount)}
          onPrevious={page > 0 ? () => show({ ...(q && { q }), page: page - 1 }) : undefined}
          onNext={
            from + data.layouts.length < data.totalCount ? () => show({ ...(q && { q }), page: page + 1 }) : undefined
          }
        />
      )}
      {isCreating && <CreateLayoutDialog onClose={() => setCreating(false)} />}
    </Page>
  );
}

function StateCell({ isDefault, issues }: Layout) {
  const faults = Object.values(issues?.controls ?? {}).flat().length;
  return (
    <>
      {isDefault && (
        <span title={words.defaultHint}>
          <Badge tone="accent">{words.isDefault}</Badge>{" "}
        </span>
      )}
      {faults > 0 ? <Badge tone="bad">{words.faults(faults)}</Badge> : !isDefault && <Badge>{words.fine}</Badge>}
    </>
  );
}
