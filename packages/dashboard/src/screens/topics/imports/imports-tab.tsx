// The imports of the last days, and exports.
import { getRouteApi } from "@tanstack/react-router";
import type { Import } from "@tidings/contract";
import { downloadFile } from "../../../api/client.ts";
import { useOperation } from "../../../api/hooks.ts";
import { useMay } from "../../../api/permissions.ts";
import { CursorPager } from "../../../kit/data/cursor-pager.tsx";
import { ListBar, NameLink } from "../../../kit/data/list.tsx";
import { ListView } from "../../../kit/data/list-view.tsx";
import { Table } from "../../../kit/data/table.tsx";
import { Time } from "../../../kit/data/time.tsx";
import { EmptyState } from "../../../kit/feedback/states.tsx";
import { Badge } from "../../../kit/feedback/verdict.tsx";
import { Button, LinkButton } from "../../../kit/inputs/button.tsx";
import { Menu } from "../../../kit/overlays/menu.tsx";
import { showError } from "../../../kit/overlays/toast.tsx";
import type { Tone } from "../../../kit/tone.ts";
import css from "./imports.module.css";
import { words } from "./words.ts";

const topicsRoute = getRouteApi("/shell/topics");

const say = words.list;
const pageSize = 25;

export const statusTones: Record<Import["status"], Tone> = {
  waiting: "info",
  running: "info",
  completed: "good",
  failed: "bad",
};

const exportCsv = (name: "subscribers" | "subscriptions") =>
  void downloadFile(`v1/exports/${name}.csv`, {}, `${name}.csv`).catch(showError);

export function ImportsTab() {
  const { after, before } = topicsRoute.useSearch();
  const navigate = topicsRoute.useNavigate();
  const may = useMay();
  const { data, error, refetch } = useOperation(
    "imports.list",
    { query: { limit: pageSize, after, before } },
    { keep: true, every: 5_000 },
  );
  const rows = data?.data;
  return (
    <>
      <ListBar
        actions={
          <>
            {may("exports.subscribers") && (
              <Menu
                align="end"
                trigger={<Button icon="download">{say.exportButton}</Button>}
                entries={[
                  { label: say.exportSubscribers, icon: "users", onChoose: () => exportCsv("subscribers") },
                  { label: say.exportSubscriptions, icon: "hash", onChoose: () => exportCsv("subscriptions") },
                ]}
              />
            )}
            {may("imports.create") && (
              <LinkButton look="primary" icon="upload" to="/imports/new" search={{}}>
                {say.importButton}
              </LinkButton>
            )}
          </>
        }
      />
      <ListView
        rows={rows}
        error={error}
        onRetry={refetch}
        empty={<EmptyState icon="upload" title={say.none} text={say.noneText} />}
      >
        {(rows) => (
          <Table
            label={say.title}
            rows={rows}
            keyOf={({ id }) => id}
            columns={[
              {
                title: say.file,
                cell: ({ id, fileName, kind }) => (
                  <NameLink
                    to="/imports/$importId"
                    params={{ importId: id }}
                    name={fileName || say.noName}
                    id={words.kinds[kind]}
                  />
                ),
              },
              { title: say.result, cell: ResultCell },
              { title: say.when, cell: ({ createdAt }) => <Time at={createdAt} isRelative />, isWideOnly: true },
            ]}
          />
        )}
      </ListView>
      {data && (
        <CursorPager page={data} onShow={(cursor) => void navigate({ search: (old) => ({ ...old, ...cursor }) })} />
      )}
    </>
  );
}

const ResultCell = ({ status, isDryRun, lines, faulty }: Import) => (
  <span className={css.result}>
    <Badge tone={statusTones[status]}>{words.statuses[status]}</Badge>
    {isDryRun && <Badge>{words.dryRun}</Badge>}
    <span className={css.weak}>{words.lines(lines)}</span>
    {faulty > 0 && (
      <Badge tone="warn">
        {words.number(faulty)} {words.report.faulty}
      </Badge>
    )}
  </span>
);
