// The endpoints of the environment.
import type { Webhook } from "@tidings/contract";
import { useState } from "react";
import { useOperation } from "../../api/hooks.ts";
import { useMay } from "../../api/permissions.ts";
import { ListView } from "../../kit/data/list-view.tsx";
import { Row, RowLink, RowList } from "../../kit/data/row-list.tsx";
import { formatRelative } from "../../kit/data/time.tsx";
import { EmptyState } from "../../kit/feedback/states.tsx";
import { Badge } from "../../kit/feedback/verdict.tsx";
import { Button, IconButton } from "../../kit/inputs/button.tsx";
import { Switch } from "../../kit/inputs/switch.tsx";
import { Stack, Tools } from "../../kit/layout/layout.tsx";
import { Menu, type MenuEntry } from "../../kit/overlays/menu.tsx";
import { SecretDialog } from "./secret-dialog.tsx";
import { useWebhookChanges } from "./use-webhook-changes.tsx";
import { WebhookForm } from "./webhook-form.tsx";
import { words } from "./words.ts";

export function Endpoints() {
  const { data, error, refetch } = useOperation("webhooks.list", {}, { every: 15_000 });
  const may = useMay();
  const changes = useWebhookChanges();
  const [isAdding, setAdding] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const add = may("webhooks.create") && (
    <Button look="primary" icon="plus" onClick={() => setAdding(true)}>
      {words.add}
    </Button>
  );
  return (
    <Stack>
      {changes.dialogs}
      {isAdding && (
        <WebhookForm
          onClose={() => setAdding(false)}
          onCreated={(made) => {
            setAdding(false);
            setSecret(made);
          }}
        />
      )}
      {secret !== null && <SecretDialog secret={secret} onClose={() => setSecret(null)} />}
      <ListView
        rows={data}
        error={error}
        onRetry={refetch}
        empty={<EmptyState icon="webhook" title={words.none} text={words.noneText} action={add} />}
      >
        {(rows) => (
          <>
            {add && <Tools>{add}</Tools>}
            <RowList label={words.list}>
              {rows.map((webhook) => (
                <Endpoint key={webhook.id} webhook={webhook} changes={changes} />
              ))}
            </RowList>
          </>
        )}
      </ListView>
    </Stack>
  );
}

export const describeTypes = ({ eventTypes }: Webhook): string =>
  eventTypes.length === 0 ? words.all : eventTypes.length <= 3 ? eventTypes.join(", ") : words.types(eventTypes.length);

const healthTones = { healthy: "good", failing: "bad", idle: "quiet" } as const;

/** What is wrong with a webhook that is on, in a sentence. */
const faultOf = ({ active, health, disabledAt, disabledReason }: Webhook): string | undefined => {
  if (disabledAt) return disabledReason;
  if (!active || !health || health.failures === 0) return undefined;
  return words.failing(health.failures, health.lastError, health.pending);
};

/** How the last calls went, off, or switched off by the service. */
export const StateBadge = ({ webhook: { active, disabledAt, health } }: { webhook: Webhook }) =>
  active && health ? (
    <Badge tone={healthTones[health.state]}>{words.health[health.state]}</Badge>
  ) : active ? (
    <Badge tone="good">{words.on}</Badge>
  ) : disabledAt ? (
    <Badge tone="bad">{words.disabled}</Badge>
  ) : (
    <Badge>{words.off}</Badge>
  );

const noteOf = (webhook: Webhook): string =>
  [
    describeTypes(webhook),
    webhook.health?.lastSuccessAt &&
      words.lastSuccess(formatRelative(Date.parse(webhook.health.lastSuccessAt), Date.now())),
  ]
    .filter(Boolean)
    .join(" · ");

function Endpoint({ webhook, changes }: { webhook: Webhook; changes: ReturnType<typeof useWebhookChanges> }) {
  const may = useMay();
  const { id, url, active } = webhook;
  const entries: MenuEntry[] = [
    { label: words.open, icon: "arrowRight", link: { to: "/webhooks/$webhookId", params: { webhookId: id } } },
    ...(may("webhooks.rotateSecret")
      ? [{ label: words.secret.rotate, icon: "key" as const, onChoose: () => changes.rotate(webhook) }]
      : []),
    ...(may("webhooks.delete")
      ? [
          { kind: "line" as const },
          { label: words.delete, icon: "trash" as const, isDanger: true, onChoose: () => changes.remove(webhook) },
        ]
      : []),
  ];
  return (
    <Row>
      <RowLink
        to="/webhooks/$webhookId"
        params={{ webhookId: id }}
        name={url}
        note={noteOf(webhook)}
        fault={faultOf(webhook)}
      />
      <StateBadge webhook={webhook} />
      <Switch
        label={words.turnOn(url)}
        checked={active}
        disabled={!may("webhooks.update") || changes.isBusy}
        onChange={({ target }) => changes.turn(webhook, target.checked)}
      />
      <Menu align="end" entries={entries} trigger={<IconButton label={words.menu(url)} icon="more" />} />
    </Row>
  );
}
