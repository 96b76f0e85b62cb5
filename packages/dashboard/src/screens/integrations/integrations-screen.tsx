// The integrations of the environment, by channel.

import type { Channel, Integration, Provider } from "@tidings/contract";
import { useOperation } from "../../api/hooks.ts";
import { useMay } from "../../api/permissions.ts";
import { ListView } from "../../kit/data/list-view.tsx";
import { Row, RowLink, RowList } from "../../kit/data/row-list.tsx";
import { EmptyState } from "../../kit/feedback/states.tsx";
import { IconButton, LinkButton } from "../../kit/inputs/button.tsx";
import { Switch } from "../../kit/inputs/switch.tsx";
import { Page } from "../../kit/layout/page.tsx";
import { Menu, type MenuEntry } from "../../kit/overlays/menu.tsx";
import { channelNames } from "../../outcomes/channel-names.ts";
import { StateBadges } from "./health.tsx";
import css from "./integrations.module.css";
import { ProviderTile } from "./provider-tile.tsx";
import { hasPrimary, useIntegrationChanges } from "./use-integration-changes.ts";
import { words } from "./words.ts";

const order: Channel[] = ["email", "sms", "push", "chat", "in_app"];

export function IntegrationsScreen() {
  const { data, error, refetch } = useOperation("integrations.list", {}, { every: 15_000 });
  const providers = useOperation("providers.list", { query: {} }, { staleTime: 3_600_000 });
  const may = useMay();
  const changes = useIntegrationChanges();
  const add = may("integrations.create") && (
    <LinkButton to="/integrations/new" look="primary" icon="plus">
      {words.add}
    </LinkButton>
  );
  return (
    <Page title={words.title} lead={words.lead} actions={data && data.length > 0 && add}>
      {changes.dialog}
      <ListView
        rows={data}
        error={error}
        onRetry={refetch}
        empty={<EmptyState icon="plug" title={words.none} text={words.noneText} action={add} />}
      >
        {(integrations) => (
          <div className={css.groups}>
            {order.map((channel) => {
              const rows = integrations.filter((integration) => integration.channel === channel);
              if (rows.length === 0) return null;
              return (
                <section key={channel} aria-label={channelNames[channel]}>
                  <h2 className={css.groupTitle}>{channelNames[channel]}</h2>
                  <RowList>
                    {sortRows(rows).map((integration) => (
                      <IntegrationRow
                        key={integration._id}
                        integration={integration}
                        provider={providers.data?.find(({ id }) => id === integration.providerId)}
                        changes={changes}
                      />
                    ))}
                  </RowList>
                </section>
              );
            })}
          </div>
        )}
      </ListView>
    </Page>
  );
}

/** Primary first, then those in use. */
const sortRows = (rows: Integration[]): Integration[] =>
  rows.toSorted((a, b) => Number(b.primary) - Number(a.primary) || Number(b.active) - Number(a.active));

type RowProps = {
  integration: Integration;
  provider: Provider | undefined;
  changes: ReturnType<typeof useIntegrationChanges>;
};

function IntegrationRow({ integration, provider, changes }: RowProps) {
  const { _id = "", name, identifier, active, primary, providerId, channel } = integration;
  const may = useMay();
  const entries: MenuEntry[] = [
    {
      label: words.open,
      icon: "arrowRight",
      link: { to: "/integrations/$integrationId", params: { integrationId: _id } },
    },
    ...(may("integrations.setPrimary") && hasPrimary(integration) && !primary
      ? [{ label: words.makePrimary, icon: "check" as const, onChoose: () => changes.makePrimary(integration) }]
      : []),
    ...(may("integrations.delete")
      ? [
          { kind: "line" as const },
          { label: words.delete, icon: "trash" as const, isDanger: true, onChoose: () => changes.remove(integration) },
        ]
      : []),
  ];
  return (
    <Row isOff={!active}>
      <ProviderTile
        id={providerId}
        name={provider?.name ?? name}
        channel={channel}
        isOurs={channel === "in_app" || provider?.isCapture}
      />
      <RowLink
        to="/integrations/$integrationId"
        params={{ integrationId: _id }}
        name={name}
        note={[provider?.name === name ? undefined : provider?.name, identifier].filter(Boolean).join(" · ")}
      />
      <span className={css.badges}>
        <StateBadges integration={integration} isCapture={provider?.isCapture ?? false} />
      </span>
      <Switch
        label={words.turnOn(name)}
        checked={active}
        disabled={!may("integrations.update") || changes.isBusy}
        onChange={({ target }) => changes.turn(integration, target.checked)}
      />
      <Menu align="end" entries={entries} trigger={<IconButton label={words.menu(name)} icon="more" />} />
    </Row>
  );
}
