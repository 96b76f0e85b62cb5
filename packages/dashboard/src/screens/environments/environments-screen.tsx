// The environments of the installation: their keys and variables, what is published between them, and what was.
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { useMay } from "../../api/permissions.ts";
import { Button } from "../../kit/inputs/button.tsx";
import { Page } from "../../kit/layout/page.tsx";
import { Tabs } from "../../kit/layout/tabs.tsx";
import { CreateDialog } from "./create-dialog.tsx";
import { History } from "./history.tsx";
import { Keys } from "./keys/keys.tsx";
import { Publish } from "./publish.tsx";
import { type EnvironmentTab, environmentTabs } from "./search.ts";
import { Variables } from "./variables.tsx";
import { words } from "./words.ts";

const environmentsRoute = getRouteApi("/shell/environments");

const panels: Record<EnvironmentTab, () => ReactNode> = {
  keys: () => <Keys />,
  variables: () => <Variables />,
  publish: () => <Publish />,
  history: () => <History />,
};

export function EnvironmentsScreen() {
  const { tab = "keys", source, target } = environmentsRoute.useSearch();
  const navigate = useNavigate();
  const may = useMay();
  const [isCreating, setCreating] = useState(false);
  return (
    <Page
      title={words.title}
      lead={words.lead}
      isNarrow
      actions={
        tab === "keys" &&
        may("environments.create") && (
          <Button look="primary" icon="plus" onClick={() => setCreating(true)}>
            {words.create.action}
          </Button>
        )
      }
    >
      {isCreating && <CreateDialog onClose={() => setCreating(false)} />}
      <Tabs
        value={tab}
        onChange={(value) =>
          void navigate({ to: "/environments", search: ({ env }) => ({ env, source, target, tab: value }) })
        }
        tabs={environmentTabs.map((value) => ({
          value,
          label: words.tabs[value],
          panel: value === tab && panels[value](),
        }))}
      />
    </Page>
  );
}
