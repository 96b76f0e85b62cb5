// What the service watches, who is notified, and what it has found.
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Page } from "../../kit/layout/page.tsx";
import { Tabs } from "../../kit/layout/tabs.tsx";
import { AlertList } from "./alert-list.tsx";
import { RuleList } from "./rule-list.tsx";
import type { AlertsTab } from "./search.ts";
import { words } from "./words.ts";

const alertsRoute = getRouteApi("/shell/alerts");

const panels: Record<AlertsTab, () => ReactNode> = {
  alerts: () => <AlertList />,
  rules: () => <RuleList />,
};

export function AlertsScreen() {
  const { tab = "alerts" } = alertsRoute.useSearch();
  const navigate = useNavigate();
  return (
    <Page title={words.title} lead={words.lead}>
      <Tabs
        value={tab}
        onChange={(value) =>
          void navigate({
            to: "/alerts",
            search: (old) => ({ env: old.env, tab: value === "alerts" ? undefined : value }),
          })
        }
        tabs={(Object.keys(panels) as AlertsTab[]).map((value) => ({
          value,
          label: words.tabs[value],
          panel: value === tab && panels[value](),
        }))}
      />
    </Page>
  );
}
