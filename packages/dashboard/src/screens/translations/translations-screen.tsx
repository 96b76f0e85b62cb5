// The workflows and layouts that have texts, with how complete each language is.
import type { Output } from "@tidings/contract";
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
import { ExportDialog, ImportDialog } from "./file-dialogs.tsx";
import { type TranslationsSearch, translationsRoute } from "./routes.ts";
import { StartDialog } from "./start-dialog.tsx";
import css from "./translations.module.css";
import { words } from "./words.ts";

const pageSize = 25;
type Group = Output<"translations.listGroups">["groups"][number];

export function TranslationsScreen() {
  const { q, page = 0 } = translationsRoute.useSearch();
  const navigate = translationsRoute.useNavigate();
  const show = (changed: TranslationsSearch, replace = false) =>
    void navigate({ search: ({ env }) => ({ env, ...changed }), replace });
  const [text, setText] = useSettledText(q ?? "", (settled) => show(settled.trim() ? { q: settled.trim() } : {}, true));
  const [opened, setOpened] = useState<"start" | "import" | "export" | null>(null);
  const may = useMay();
  const { data, error, refetch } = useOperation(
    "translations.listGroups",
    { query: { limit: pageSize, offset: page * pageSize, query: q } },
    { keep: true },
  );
  const rows = data?.groups;
  const from = page * pageSize;
  const close = () => setOpened(null);
  return (
    <Page
      title={words.title}
      lead={words.lead}
      actions={
        <>
          <Button icon="download" onClick={() => setOpened("export")}>
            {words.files.export}
          </Button>
          {may("translations.importMaster") && (
            <Button icon="upload" onClick={() => setOpened("import")}>
              {words.files.import}
            </Button>
          )}
          {may("translations.create") && (
            <Button look="primary" icon="plus" onClick={() => setOpened("start")}>
              {words.start}
            </Button>
          )}
        </>
      }
    >
      <ListBar search={{ label: words.search, value: text, onChange: setText }} />
      {error && <ErrorPanel error={error} onRetry={refetch} />}
      {!rows && !error && <Skeleton />}
      {rows?.length === 0 && (
        <EmptyState
          icon={q === undefined ? "languages" : "search"}
          title={q === undefined ? words.none : words.noMatch}
          text={q === undefined ? words.noneText : words.noMatchText}
          action={q !== undefined && <Button onClick={() => show({})}>{words.clear}</Button>}
        />
      )}
      {rows && rows.length > 0 && (
        <Table
          label={words.title}
          rows={rows}
          keyOf={({ resourceType, resourceId }) => `${resourceType} ${resourceId}`}
          columns={[
            { title: words.name, cell: NameCell },
            { title: words.locales, cell: LocalesCell },
            { title: words.updated, cell: ({ updatedAt }) => <Time at={updatedAt} isRelative />, isWideOnly: true },
          ]}
        />
      )}
      {data && data.totalCount > pageSize && (
        <Pager
          note={words.count(from + 1, from + data.groups.length, data.totalCount)}
          onPrevious={page > 0 ? () => show({ ...(q && { q }), page: page - 1 }) : undefined}
          onNext={
            from + data.groups.length < data.totalCount ? () => show({ ...(q && { q }), page: page + 1 }) : undefined
          }
        />
      )}
      {opened === "start" && <StartDialog onClose={close} />}
      {opened === "export" && <ExportDialog onClose={close} />}
      {opened === "import" && <ImportDialog onClose={close} />}
    </Page>
  );
}

const NameCell = ({ resourceType, resourceId, resourceName }: Group) => (
  <NameLink
    to="/translations/$resourceType/$resourceId"
    params={{ resourceType, resourceId }}
    search={{}}
    name={resourceName}
    id={`${words.types[resourceType]} · ${resourceId}`}
  />
);

const LocalesCell = ({ completeness }: Group) => (
  <ul className={css.locales}>
    {completeness.map(({ locale, keys, missing, extra }) => (
      <li key={locale} title={words.texts(keys)}>
        <strong>{locale}</strong>
        {missing > 0 && <Badge tone="warn">{words.missing(missing)}</Badge>}
        {extra > 0 && <Badge>{words.extra(extra)}</Badge>}
        {missing === 0 && extra === 0 && <Badge tone="good">{words.complete}</Badge>}
      </li>
    ))}
  </ul>
);
