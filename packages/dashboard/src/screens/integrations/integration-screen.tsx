// One integration: its credentials, how it does, where its reports go, and a test.

import { getRouteApi } from "@tanstack/react-router";
import type { Integration, Provider } from "@tidings/contract";
import { useState } from "react";
import { useChange, useOperation } from "../../api/hooks.ts";
import { requiredRole, useMay } from "../../api/permissions.ts";
import { staleAfterChange } from "../../health/use-try-now.ts";
import { Id } from "../../kit/data/code.tsx";
import { Notice } from "../../kit/feedback/notice.tsx";
import { EmptyState, ErrorPanel, Skeleton } from "../../kit/feedback/states.tsx";
import { Button } from "../../kit/inputs/button.tsx";
import { Switch } from "../../kit/inputs/switch.tsx";
import { Card, Page } from "../../kit/layout/page.tsx";
import { useConfirm } from "../../kit/overlays/confirm.tsx";
import { showToast } from "../../kit/overlays/toast.tsx";
import { channelNames } from "../../outcomes/channel-names.ts";
import { words as kitWords } from "../../words.ts";
import { StateBadges } from "./health.tsx";
import { HealthCard } from "./health-card.tsx";
import { IntegrationForm } from "./integration-form.tsx";
import css from "./integrations.module.css";
import { ProviderTile, tileOf } from "./provider-tile.tsx";
import { ReportsCard } from "./reports-card.tsx";
import { TestDialog } from "./test-dialog.tsx";
import { hasPrimary, useIntegrationChanges } from "./use-integration-changes.ts";
import { words } from "./words.ts";

const integrationRoute = getRouteApi("/shell/integrations/$integrationId");

export function IntegrationScreen() {
  const { integrationId } = integrationRoute.useParams();
  const { data, error, refetch } = useOperation("integrations.list", {}, { every: 10_000 });
  const providers = useOperation("providers.list", { query: {} }, { staleTime: 3_600_000 });
  const integration = data?.find(({ _id, identifier }) => [_id, identifier].includes(integrationId));
  const provider = providers.data?.find(({ id }) => id === integration?.providerId);
  const fault = error ?? providers.error;
  if (integration && provider)
    return <Integrated key={integration._id} integration={integration} provider={provider} />;
  return (
    <Page title={words.title} back={{ to: "/integrations", label: words.back }} isNarrow>
      {fault && <ErrorPanel error={fault} onRetry={refetch} />}
      {!fault && (!data || !providers.data) && <Skeleton />}
      {data && providers.data && !integration && <EmptyState isBad title={words.missing} text={words.missingText} />}
    </Page>
  );
}

function Integrated({ integration, provider }: { integration: Integration; provider: Provider }) {
  const [isTesting, setTesting] = useState(false);
  const [saves, setSaves] = useState(0);
  const may = useMay();
  const changes = useIntegrationChanges();
  const { confirm, dialog } = useConfirm();
  const update = useChange("integrations.update", staleAfterChange);
  const { _id = "", name, active, primary } = integration;
  const mayChange = may("integrations.update");
  const canTest = provider.channel !== "in_app" && may("events.trigger");
  return (
    <Page
      title={name}
      heading={
        <span className={css.heading}>
          <ProviderTile {...tileOf(provider)} />
          {name}
          <StateBadges integration={integration} isCapture={provider.isCapture} />
        </span>
      }
      lead={
        <span className={css.leadLine}>
          {provider.name} · {channelNames[provider.channel]} ·{" "}
          <Id text={integration.identifier} what={words.identifier} />
        </span>
      }
      back={{ to: "/integrations", label: words.back }}
      isNarrow
      actions={
        <>
          <span className={css.onOff}>
            <Switch
              label={words.turnOn(name)}
              checked={active}
              disabled={!mayChange || changes.isBusy}
              onChange={({ target }) => changes.turn(integration, target.checked)}
            />
            {active ? words.on : words.off}
          </span>
          {mayChange && hasPrimary(integration) && !primary && (
            <Button onClick={() => changes.makePrimary(integration)} disabled={changes.isBusy}>
              {words.makePrimary}
            </Button>
          )}
          {canTest && (
            <Button icon="send" onClick={() => setTesting(true)}>
              {words.test.button}
            </Button>
          )}
        </>
      }
    >
      {changes.dialog}
      {dialog}
      {isTesting && <TestDialog integration={integration} onClose={() => setTesting(false)} />}
      <div className={css.stack}>
        {!mayChange && <Notice icon="key">{kitWords.needsRole(requiredRole("integrations.update"))}</Notice>}
        <HealthCard integration={integration} provider={provider} />
        <IntegrationForm
          // After a save the form begins anew, with what is stored now.
          key={saves}
          provider={provider}
          integration={integration}
          error={update.error}
          isBusy={update.isPending}
          disabled={!mayChange}
          onSubmit={(body) =>
            confirm({ title: words.changeTitle(name), label: words.change }, () =>
              update.mutate(
                { params: { integrationId: _id }, body },
                {
                  onSuccess: () => {
                    setSaves((count) => count + 1);
                    showToast({ title: kitWords.saved });
                  },
                },
              ),
            )
          }
        />
        {provider.channel !== "in_app" && !provider.isCapture && (
          <ReportsCard integration={integration} provider={provider} />
        )}
        {may("integrations.delete") && (
          <Card>
            <div className={css.danger}>
              <div>
                <h2>{words.danger}</h2>
                <p className={css.help}>{words.deleteText}</p>
              </div>
              <Button look="danger" icon="trash" onClick={() => changes.remove(integration)}>
                {words.delete}
              </Button>
            </div>
          </Card>
        )}
      </div>
    </Page>
  );
}
