// Endpoints that receive events, and what providers reported.
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Page } from "../../kit/layout/page.tsx";
import { Tabs } from "../../kit/layout/tabs.tsx";
import { Endpoints } from "./endpoints.tsx";
import { Receipts } from "./receipts.tsx";
import type { WebhookTab } from "./search.ts";
import { words } from "./words.ts";

const webhooksRoute = getRouteApi("/shell/webhooks");

const panels: Record<WebhookTab, () => ReactNode> = {
  endpoints: () => <Endpoints />,
  receipts: () => <Receipts />,
};

export function WebhooksScreen() {
  const { tab = "endpoints" } = webhooksRoute.useSearch();
  const navigate = useNavigate();
  return (
    <Page title={words.title} lead={words.lead}>
      <Tabs
        value={tab}
        onChange={(value) =>
          void navigate({
            to: "/webhooks",
            search: (old) => ({ env: old.env, tab: value === "endpoints" ? undefined : value }),
          })
        }
        tabs={(Object.keys(panels) as WebhookTab[]).map((value) => ({
          value,
          label: words.tabs[value],
          panel: value === tab && panels[value](),
        }))}
      />
    </Page>
  );
}
