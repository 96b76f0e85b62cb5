// Dead letters by their cause, the replays of them, and the failed tasks of the service.
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useOperation } from "../../api/hooks.ts";
import { ExportCsv } from "../../app/export-csv.tsx";
import { Page } from "../../kit/layout/page.tsx";
import { Tabs } from "../../kit/layout/tabs.tsx";
import { Causes } from "./causes.tsx";
import { FailedTasks } from "./failed-tasks.tsx";
import { Replays } from "./replays.tsx";
import type { DeadLetterTab } from "./search.ts";
import { words } from "./words.ts";

const deadLettersRoute = getRouteApi("/shell/dead-letters");

const panels: Record<DeadLetterTab, () => ReactNode> = {
  causes: () => <Causes />,
  replays: () => <Replays />,
  tasks: () => <FailedTasks />,
};

export function DeadLettersScreen() {
  const { tab = "causes" } = deadLettersRoute.useSearch();
  const navigate = useNavigate();
  const groups = useOperation("deadLetters.listGroups", {}, { every: 10_000 });
  const tasks = useOperation("failedTasks.list", { query: { status: "open", limit: 1 } }, { every: 30_000 });
  const counts: Partial<Record<DeadLetterTab, number>> = {
    causes: groups.data?.data.length || undefined,
    tasks: tasks.data?.totalCount || undefined,
  };
  return (
    <Page
      title={words.title}
      lead={words.lead}
      actions={
        tab === "causes" &&
        (groups.data?.totalCount ?? 0) > 0 && (
          <ExportCsv id="exports.deadLetters" name="dead-letters" query={{ status: "open" }} />
        )
      }
    >
      <Tabs
        value={tab}
        onChange={(value) => void navigate({ to: "/dead-letters", search: (old) => ({ env: old.env, tab: value }) })}
        tabs={(Object.keys(panels) as DeadLetterTab[]).map((value) => ({
          value,
          label: words.tabs[value],
          count: counts[value],
          panel: value === tab && panels[value](),
        }))}
      />
    </Page>
  );
}
