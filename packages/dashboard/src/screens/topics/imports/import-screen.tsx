// One import: its progress while it runs, its report afterwards.

import { getRouteApi } from "@tanstack/react-router";
import { Time } from "../../../kit/data/time.tsx";
import { ErrorPanel, Skeleton } from "../../../kit/feedback/states.tsx";
import { Badge } from "../../../kit/feedback/verdict.tsx";
import { LinkButton } from "../../../kit/inputs/button.tsx";
import { Page } from "../../../kit/layout/page.tsx";
import { ImportReport } from "./import-report.tsx";
import css from "./imports.module.css";
import { statusTones } from "./imports-tab.tsx";
import { useImport } from "./use-import.ts";
import { words } from "./words.ts";

const importRoute = getRouteApi("/shell/imports/$importId");

const back = { to: "/topics", search: { tab: "imports" }, label: words.list.title } as const;

export function ImportScreen() {
  const { importId } = importRoute.useParams();
  const { data, error, refetch } = useImport(importId);
  return (
    <Page
      title={words.report.title(data?.fileName)}
      back={back}
      lead={
        data && (
          <span className={css.result}>
            <Badge tone={statusTones[data.status]}>{words.statuses[data.status]}</Badge>
            {data.isDryRun && <Badge>{words.dryRun}</Badge>}
            <span>{words.kinds[data.kind]}</span>
            <Time at={data.createdAt} isRelative />
          </span>
        )
      }
      actions={
        data && (
          <>
            <LinkButton icon="upload" to="/imports/new" search={data.kind === "subscribers" ? {} : { kind: data.kind }}>
              {words.report.another}
            </LinkButton>
            {data.kind === "subscribers" ? (
              <LinkButton icon="users" to="/subscribers">
                {words.report.openSubscribers}
              </LinkButton>
            ) : (
              <LinkButton icon="hash" to="/topics">
                {words.report.openTopics}
              </LinkButton>
            )}
          </>
        )
      }
    >
      {error && <ErrorPanel error={error} onRetry={refetch} />}
      {!data && !error && <Skeleton />}
      {data && <ImportReport of={data} />}
    </Page>
  );
}
