// An endpoint's deliveries: each opens to show what was sent and how the receiver responded.
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import type { Webhook, WebhookDelivery } from "@tidings/contract";
import { useState } from "react";
import { useChange, useOperation } from "../../api/hooks.ts";
import { useMay } from "../../api/permissions.ts";
import { Code, Id, Json } from "../../kit/data/code.tsx";
import { ListView } from "../../kit/data/list-view.tsx";
import { Pager } from "../../kit/data/table.tsx";
import { Time } from "../../kit/data/time.tsx";
import { EmptyState, ErrorPanel, Skeleton } from "../../kit/feedback/states.tsx";
import { Badge } from "../../kit/feedback/verdict.tsx";
import { Button } from "../../kit/inputs/button.tsx";
import { Select } from "../../kit/inputs/select.tsx";
import { Disclosure, DisclosureList } from "../../kit/layout/disclosure.tsx";
import { Muted, Stack, Tools } from "../../kit/layout/layout.tsx";
import { Facts } from "../../kit/layout/page.tsx";
import { useConfirm } from "../../kit/overlays/confirm.tsx";
import { showError, showToast } from "../../kit/overlays/toast.tsx";
import type { Tone } from "../../kit/tone.ts";
import { ReplaySince } from "./replay-since.tsx";
import css from "./webhooks.module.css";
import { words } from "./words.ts";

const webhookRoute = getRouteApi("/shell/webhooks/$webhookId");

const text = words.deliveries;
const any = "";
type Status = WebhookDelivery["status"];

const tones: Record<Status, Tone> = { pending: "info", delivered: "good", failed: "bad" };

export function Deliveries({ webhook }: { webhook: Webhook }) {
  const { state, page = 0 } = webhookRoute.useSearch();
  const navigate = useNavigate();
  const may = useMay();
  const [isReplaying, setReplaying] = useState(false);
  const params = { webhookId: webhook.id };
  const { data, error, refetch } = useOperation(
    "webhooks.listDeliveries",
    { params, query: { limit: 20, page, status: state } },
    { keep: true, every: 5_000 },
  );
  const go = (search: { state?: Status; page?: number }) =>
    void navigate({ to: "/webhooks/$webhookId", params, search: (old) => ({ env: old.env, ...search }) });
  return (
    <Stack>
      <div className={css.head}>
        <h2>{text.title}</h2>
        <Tools>
          <Select
            name={text.filter}
            value={state ?? any}
            isSet={state !== undefined}
            onChange={(value) => go({ state: (value || undefined) as Status | undefined })}
            choices={[
              { value: any, label: text.any },
              ...Object.entries(words.statuses).map(([value, label]) => ({ value, label })),
            ]}
          />
          {may("webhooks.replay") && (
            <Button icon="refresh" onClick={() => setReplaying(true)}>
              {text.since}
            </Button>
          )}
        </Tools>
      </div>
      {isReplaying && <ReplaySince webhook={webhook} onClose={() => setReplaying(false)} />}
      <ListView
        rows={data?.data}
        error={error}
        onRetry={refetch}
        empty={
          state === undefined ? (
            <EmptyState icon="webhook" title={text.none} text={text.noneText} />
          ) : (
            <EmptyState
              title={text.noMatch}
              text={text.noMatchText}
              action={<Button onClick={() => go({})}>{text.clear}</Button>}
            />
          )
        }
      >
        {(rows) => (
          <DisclosureList label={text.title}>
            {rows.map((delivery) => (
              <Delivery key={delivery.id} webhook={webhook} delivery={delivery} />
            ))}
          </DisclosureList>
        )}
      </ListView>
      {data && (data.hasMore || page > 0) && (
        <Pager
          onPrevious={page > 0 ? () => go({ state, page: page - 1 || undefined }) : undefined}
          onNext={data.hasMore ? () => go({ state, page: page + 1 }) : undefined}
        />
      )}
    </Stack>
  );
}

function Delivery({ webhook, delivery }: { webhook: Webhook; delivery: WebhookDelivery }) {
  const { type, status, attempts, responseStatus, nextAttemptAt, createdAt } = delivery;
  return (
    <Disclosure
      title={<strong>{type}</strong>}
      note={
        <>
          {[type === "webhook.test" ? words.testEvent : words.events[type], text.attempts(attempts), responseStatus]
            .filter((part) => part !== undefined)
            .join(" · ")}
          {nextAttemptAt && (
            <>
              {" · "}
              {text.next} <Time at={nextAttemptAt} isRelative />
            </>
          )}
        </>
      }
      end={
        <>
          <Badge tone={tones[status]}>{words.statuses[status]}</Badge>
          <Time at={createdAt} isRelative />
        </>
      }
    >
      {() => <Details webhook={webhook} delivery={delivery} />}
    </Disclosure>
  );
}

function Details({ webhook, delivery }: { webhook: Webhook; delivery: WebhookDelivery }) {
  const may = useMay();
  const { confirm, dialog } = useConfirm();
  const params = { webhookId: webhook.id, deliveryId: delivery.id };
  const { data, error, refetch } = useOperation("webhooks.retrieveDelivery", { params }, { staleTime: 5_000 });
  const replay = useChange("webhooks.replay", ["webhooks.listDeliveries", "webhooks.retrieveDelivery"]);
  const again = () =>
    replay.mutate(
      { params: { webhookId: webhook.id }, body: { ids: [delivery.id] } },
      { onError: showError, onSuccess: () => showToast({ title: text.againDone }) },
    );
  if (error) return <ErrorPanel error={error} onRetry={refetch} />;
  if (!data) return <Skeleton rows={3} />;
  const { request, eventId, lastAttemptAt } = data;
  const { responseStatus, response } = delivery;
  return (
    <>
      {dialog}
      <Facts
        of={[
          [text.event, <Id key="event" text={eventId} what={text.event} />],
          [text.last, lastAttemptAt && <Time key="last" at={lastAttemptAt} />],
        ]}
      />
      <div className={css.sides}>
        <section className={css.part} aria-label={text.request}>
          <h3>{text.request}</h3>
          <Code text={toHead(request)} label={text.headers} />
          <Body text={request.body} />
          <Muted>{text.headersNote}</Muted>
        </section>
        <section className={css.part} aria-label={text.answer}>
          <h3>{responseStatus === undefined ? text.noAnswer : `${text.answer} ${responseStatus}`}</h3>
          {response ? <Code text={response} label={text.answer} /> : <Muted>{text.emptyAnswer}</Muted>}
        </section>
      </div>
      {may("webhooks.replay") && delivery.status !== "pending" && (
        <Tools>
          <Button
            icon="refresh"
            disabled={!webhook.active || replay.isPending}
            onClick={() => confirm({ title: text.again, label: text.again }, again)}
          >
            {text.again}
          </Button>
          {!webhook.active && <Muted>{text.needsOn}</Muted>}
        </Tools>
      )}
    </>
  );
}

const toHead = ({ url, headers }: { url: string; headers: Record<string, string> }): string =>
  [`POST ${url}`, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)].join("\n");

function Body({ text: body }: { text: string }) {
  try {
    return <Json value={JSON.parse(body)} label={text.body} />;
  } catch {
    return <Code text={body} label={text.body} />;
  }
}
