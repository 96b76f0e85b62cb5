// The audience: topics, contexts, suppressed addresses and imports, one tab each.
import { Page } from "../../kit/page.tsx";
import { Tabs } from "../../kit/tabs.tsx";
import { ImportsTab } from "../imports/imports-tab.tsx";
import { ContextsTab } from "./contexts-tab.tsx";
import { type AudienceTab, audienceRoute } from "./routes.ts";
import { SuppressionsTab } from "./suppressions-tab.tsx";
import { TopicsTab } from "./topics-tab.tsx";
import { words } from "./words.ts";

export function AudienceScreen() {
  const { tab = "topics" } = audienceRoute.useSearch();
  const navigate = audienceRoute.useNavigate();
  // The search of one tab means nothing in another.
  const show = (next: AudienceTab) =>
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
