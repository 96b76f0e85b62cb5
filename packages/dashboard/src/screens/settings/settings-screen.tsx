// The own account, the members, the audit log.
import { useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Page } from "../../kit/page.tsx";
import { Tabs } from "../../kit/tabs.tsx";
import { Account } from "./account.tsx";
import { AuditLog } from "./audit-log.tsx";
import { Members } from "./members.tsx";
import { settingsRoute } from "./routes.ts";
import { words } from "./words.ts";

const panels: Record<keyof typeof words.tabs, () => ReactNode> = {
  account: () => <Account />,
  people: () => <Members />,
  audit: () => <AuditLog />,
};
type TabName = keyof typeof panels;

export function SettingsScreen() {
  const { tab } = settingsRoute.useSearch();
  const navigate = useNavigate();
  const chosen: TabName = tab !== undefined && tab in panels ? (tab as TabName) : "account";
  return (
    <Page title={words.title} lead={words.lead} isNarrow>
      <Tabs
        value={chosen}
        onChange={(value) => void navigate({ to: "/settings", search: (old) => ({ env: old.env, tab: value }) })}
        tabs={(Object.keys(panels) as TabName[]).map((value) => ({
          value,
          label: words.tabs[value],
          panel: value === chosen && panels[value](),
        }))}
      />
    </Page>
  );
}
