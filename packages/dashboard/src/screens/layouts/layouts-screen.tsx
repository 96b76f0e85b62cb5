// The list of layouts.
import { getRouteApi } from "@tanstack/react-router";
import type { Layout } from "@tidings/contract";
import { useState } from "react";
import { useOperation } from "../../api/hooks.ts";
import { useMay } from "../../api/permissions.ts";
import { NameLink } from "../../kit/data/list.tsx";
import { listPageSize, PagedList } from "../../kit/data/paged-list.tsx";
import { Time } from "../../kit/data/time.tsx";
import { Badge } from "../../kit/feedback/verdict.tsx";
import { Button } from "../../kit/inputs/button.tsx";
import { Page } from "../../kit/layout/page.tsx";
import { CreateLayoutDialog, LayoutMenu } from "./layout-dialogs.tsx";
import { words } from "./words.ts";

const layoutsRoute = getRouteApi("/shell/layouts");

export function LayoutsScreen() {
  const { q, page = 0 } = layoutsRoute.useSearch();
  const navigate = layoutsRoute.useNavigate();
  const [isCreating, setCreating] = useState(false);
  const may = useMay();
  const { data, error, refetch } = useOperation(
    "layouts.list",
    { query: { limit: listPageSize, offset: page * listPageSize, orderBy: "updatedAt", query: q } },
    { keep: true },
  );
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
      <PagedList
        place={{ q, page }}
        onMove={(place, replace) => void navigate({ search: ({ env }) => ({ env, ...place }), replace })}
        rows={data?.layouts}
        totalCount={data?.totalCount}
        error={error}
        onRetry={refetch}
        icon="layout"
        words={words}
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
