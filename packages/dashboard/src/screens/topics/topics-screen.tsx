// The audience: topics, contexts, suppressed addresses and imports, one tab each.
import { getRouteApi } from "@tanstack/react-router";
import { Page } from "../../kit/layout/page.tsx";
import { Tabs } from "../../kit/layout/tabs.tsx";
import { ContextsTab } from "./contexts-tab.tsx";
import { ImportsTab } from "./imports/imports-tab.tsx";
import type { TopicsTabName } from "./search.ts";
import { SuppressionsTab } from "./suppressions-tab.tsx";
import { TopicsTab } from "./topics-tab.tsx";
import { words } from "./words.ts";

const topicsRoute = getRouteApi("/shell/topics");

export function TopicsScreen() {
  const { tab = "topics" } = topicsRoute.useSearch();
  const navigate = topicsRoute.useNavigate();
  // The search of one tab means nothing in another.
  const show = (next: TopicsTabName) =>
    void navigate({ search: ({ env }) => ({ env, ...(next !== "topics" && { tab: next }) }) });
  return (
    <Page title={words.title} lead={words.lead}>
      <Tabs
        value={tab}
        onChange={show}
        tabs={[
          { value: "topics", label: words.tabs.topics, panel: <TopicsTab /> },
          { value: "contexts", label: words.tabs.contexts, panel: <ContextsTab /> },
          { value: "suppressions", label: words.tabs.suppressions, panel: <SuppressionsTab /> },
          { value: "imports", label: words.tabs.imports, panel: <ImportsTab /> },
        ]}
      />
    </Page>
  );
}
