// One endpoint: its state, why the service switched it off, and its deliveries.
import { getRouteApi } from "@tanstack/react-router";
import type { Webhook } from "@tidings/contract";
import { useState } from "react";
import { useChange, useOperation } from "../../api/hooks.ts";
import { requiredRole, useMay } from "../../api/permissions.ts";
import { Id } from "../../kit/data/code.tsx";
import { Time } from "../../kit/data/time.tsx";
import { Notice } from "../../kit/feedback/notice.tsx";
import { ErrorPanel, Skeleton } from "../../kit/feedback/states.tsx";
import { Button, IconButton } from "../../kit/inputs/button.tsx";
import { Stack } from "../../kit/layout/layout.tsx";
import { Card, Facts, Page } from "../../kit/layout/page.tsx";
import { useConfirm } from "../../kit/overlays/confirm.tsx";
import { Menu, type MenuEntry } from "../../kit/overlays/menu.tsx";
import { showError, showToast } from "../../kit/overlays/toast.tsx";
import { words as kitWords } from "../../words.ts";
import { Deliveries } from "./deliveries.tsx";
import { describeTypes, StateBadge } from "./endpoints.tsx";
import { useWebhookChanges } from "./use-webhook-changes.tsx";
import { WebhookForm } from "./webhook-form.tsx";
import css from "./webhooks.module.css";
import { words } from "./words.ts";

const webhookRoute = getRouteApi("/shell/webhooks/$webhookId");

const text = words.one;

export function WebhookScreen() {
  const { webhookId } = webhookRoute.useParams();
  const { data, error, refetch } = useOperation("webhooks.retrieve", { params: { webhookId } }, { every: 15_000 });
  if (data) return <Endpoint webhook={data} />;
  return (
    <Page title={words.title} back={{ to: "/webhooks", label: text.back }}>
      {error ? <ErrorPanel error={error} onRetry={refetch} /> : <Skeleton />}
    </Page>
  );
}

function Endpoint({ webhook }: { webhook: Webhook }) {
  const may = useMay();
  const changes = useWebhookChanges();
  const [isEditing, setEditing] = useState(false);
  const mayChange = may("webhooks.update");
  const entries: MenuEntry[] = [
    { label: words.edit, icon: "settings", onChoose: () => setEditing(true) },
    { label: words.secret.rotate, icon: "key", onChoose: () => changes.rotate(webhook) },
    { kind: "line" },
    { label: words.delete, icon: "trash", isDanger: true, onChoose: () => changes.remove(webhook) },
  ];
  return (
    <Page
      title={webhook.url}
      heading={
        <span className={css.heading}>
          <span className={css.url}>{webhook.url}</span>
          <StateBadge webhook={webhook} />
        </span>
      }
      lead={describeTypes(webhook)}
      back={{ to: "/webhooks", label: text.back }}
      actions={
        mayChange && (
          <>
            <TestButton webhook={webhook} />
            {webhook.active && (
              <Button onClick={() => changes.turn(webhook, false)} disabled={changes.isBusy}>
                {text.turnOff}
              </Button>
            )}
            <Menu align="end" entries={entries} trigger={<IconButton label={words.menu(webhook.url)} icon="more" />} />
          </>
        )
      }
    >
      {changes.dialogs}
      {isEditing && <WebhookForm webhook={webhook} onClose={() => setEditing(false)} />}
      <Stack>
        {!mayChange && <Notice icon="key">{kitWords.needsRole(requiredRole("webhooks.update"))}</Notice>}
        {!webhook.active && (
          <Notice
            tone={webhook.disabledAt ? "bad" : "warn"}
            action={
              mayChange && (
                <Button size="small" onClick={() => changes.turn(webhook, true)} disabled={changes.isBusy}>
                  {text.turnOn}
                </Button>
              )
            }
          >
            {webhook.disabledAt ? (
              <>
                <strong>{text.disabledTitle(webhook.disabledReason ?? "")}</strong> {text.disabledText}
              </>
            ) : (
              text.offText
            )}
          </Notice>
        )}
        {webhook.health && <Health health={webhook.health} />}
        <Deliveries webhook={webhook} />
        <Card title={text.settings}>
          <Facts
            of={[
              [text.id, <Id key="id" text={webhook.id} what={text.id} />],
              [words.form.which, webhook.eventTypes.length === 0 ? words.all : webhook.eventTypes.join(", ")],
              [text.created, <Time key="created" at={webhook.createdAt} />],
              [text.changed, <Time key="changed" at={webhook.updatedAt} />],
            ]}
          />
        </Card>
      </Stack>
    </Page>
  );
}

const Health = ({ health }: { health: NonNullable<Webhook["health"]> }) => {
  const { failures, failingSince, lastSuccessAt, lastFailureAt, lastError, pending } = health;
  return (
    <Card title={text.health}>
      <Facts
        of={[
          [text.lastSuccess, lastSuccessAt ? <Time key="success" at={lastSuccessAt} /> : text.never],
          [
            text.lastFailure,
            lastFailureAt && (
              <span key="failure">
                <Time at={lastFailureAt} />
                {lastError && ` · ${lastError}`}
              </span>
            ),
          ],
          [text.failures, failures > 0 ? failures.toLocaleString() : undefined],
          [text.failingSince, failures > 0 && failingSince ? <Time key="since" at={failingSince} /> : undefined],
          [text.pending, pending.toLocaleString()],
        ]}
      />
    </Card>
  );
};

function TestButton({ webhook }: { webhook: Webhook }) {
  const { confirm, dialog } = useConfirm();
  const test = useChange("webhooks.test", ["webhooks.listDeliveries"]);
  const send = () =>
    test.mutate(
      { params: { webhookId: webhook.id } },
      {
        onError: showError,
        onSuccess: ({ status, responseStatus, response }) =>
          showToast(
            status === "delivered"
              ? { title: text.testGood, description: text.tested(responseStatus) }
              : { title: text.tested(responseStatus), description: response, look: "bad" },
          ),
      },
    );
  return (
    <>
      {dialog}
      <Button
        icon="send"
        disabled={test.isPending}
        onClick={() => confirm({ title: text.test, label: text.test }, send)}
      >
        {text.test}
      </Button>
    </>
  );
}
