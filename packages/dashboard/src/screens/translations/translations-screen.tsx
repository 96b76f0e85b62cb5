// The workflows and layouts that have texts, with how complete each language is.
import { getRouteApi } from "@tanstack/react-router";
import type { Output } from "@tidings/contract";
import { useState } from "react";
import { useOperation } from "../../api/hooks.ts";
import { useMay } from "../../api/permissions.ts";
import { NameLink } from "../../kit/data/list.tsx";
import { listPageSize, PagedList } from "../../kit/data/paged-list.tsx";
import { Time } from "../../kit/data/time.tsx";
import { Badge } from "../../kit/feedback/verdict.tsx";
import { Button } from "../../kit/inputs/button.tsx";
import { Page } from "../../kit/layout/page.tsx";
import { ExportDialog } from "./export-dialog.tsx";
import { ImportDialog } from "./import-dialog.tsx";
import { StartDialog } from "./start-dialog.tsx";
import css from "./translations.module.css";
import { words } from "./words.ts";

const translationsRoute = getRouteApi("/shell/translations");

type Group = Output<"translations.listGroups">["groups"][number];

export function TranslationsScreen() {
  const { q, page = 0 } = translationsRoute.useSearch();
  const navigate = translationsRoute.useNavigate();
  const [opened, setOpened] = useState<"start" | "import" | "export" | null>(null);
  const may = useMay();
  const { data, error, refetch } = useOperation(
    "translations.listGroups",
    { query: { limit: listPageSize, offset: page * listPageSize, query: q } },
    { keep: true },
  );
  const close = () => setOpened(null);
  const known = [...new Set((data?.groups ?? []).flatMap(({ locales }) => locales))];
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
      <PagedList
        place={{ q, page }}
        onMove={(place, replace) => void navigate({ search: ({ env }) => ({ env, ...place }), replace })}
        rows={data?.groups}
        totalCount={data?.totalCount}
        error={error}
        onRetry={refetch}
        icon="languages"
        words={words}
        keyOf={({ resourceType, resourceId }) => `${resourceType} ${resourceId}`}
        columns={[
          { title: words.name, cell: NameCell },
          { title: words.locales, cell: LocalesCell },
          { title: words.updated, cell: ({ updatedAt }) => <Time at={updatedAt} isRelative />, isWideOnly: true },
        ]}
      />
      {opened === "start" && <StartDialog onClose={close} />}
      {opened === "export" && <ExportDialog known={known} onClose={close} />}
      {opened === "import" && <ImportDialog known={known} onClose={close} />}
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
    {completeness.map(({ locale, keys, missing, extra, outdated = 0, faulty = 0 }) => (
      <li key={locale} title={words.texts(keys)}>
        <strong>{locale}</strong>
        {faulty > 0 && <Badge tone="bad">{words.faulty(faulty)}</Badge>}
        {missing > 0 && <Badge tone="warn">{words.missing(missing)}</Badge>}
        {outdated > 0 && <Badge tone="warn">{words.outdated(outdated)}</Badge>}
        {extra > 0 && <Badge>{words.extra(extra)}</Badge>}
        {missing + extra + outdated + faulty === 0 && <Badge tone="good">{words.complete}</Badge>}
      </li>
    ))}
  </ul>
);
