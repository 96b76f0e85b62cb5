// The own account, the members, the audit log, the retention of data.
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Page } from "../../kit/layout/page.tsx";
import { Tabs } from "../../kit/layout/tabs.tsx";
import { Account } from "./account.tsx";
import { AuditLog } from "./audit-log.tsx";
import { Members } from "./members.tsx";
import { Retention } from "./retention.tsx";
import { words } from "./words.ts";

const settingsRoute = getRouteApi("/shell/settings");

const panels: Record<keyof typeof words.tabs, () => ReactNode> = {
  account: () => <Account />,
  members: () => <Members />,
  audit: () => <AuditLog />,
  data: () => <Retention />,
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
