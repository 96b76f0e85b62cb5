// The imports of the last days, and exports.
import type { Import } from "@tidings/contract";
import { downloadFile } from "../../api/client.ts";
import { useOperation } from "../../api/hooks.ts";
import { useMay } from "../../app/permissions.ts";
import { Button, LinkButton } from "../../kit/button.tsx";
import { ListBar, NameLink } from "../../kit/list.tsx";
import { Menu } from "../../kit/menu.tsx";
import { EmptyState, ErrorPanel, Skeleton } from "../../kit/states.tsx";
import { Table } from "../../kit/table.tsx";
import { Time } from "../../kit/time.tsx";
import { showError } from "../../kit/toast.tsx";
import type { Tone } from "../../kit/tone.ts";
import { Badge } from "../../kit/verdict.tsx";
import { CursorPager } from "../audience/cursor-pager.tsx";
import { audienceRoute } from "../audience/routes.ts";
import css from "./imports.module.css";
import { words } from "./words.ts";

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
  const { after, before } = audienceRoute.useSearch();
  const navigate = audienceRoute.useNavigate();
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
      {error && <ErrorPanel error={error} onRetry={refetch} />}
      {!rows && !error && <Skeleton />}
      {rows?.length === 0 && <EmptyState icon="upload" title={say.none} text={say.noneText} />}
      {rows && rows.length > 0 && (
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
