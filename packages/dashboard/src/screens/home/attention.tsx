// What needs attention: each line says what is wrong, what it means, and where to go.

import type { LinkProps } from "@tanstack/react-router";
import type { Alert, AlertKindName, Channel, Integration, Provider, Source, SystemState } from "@tidings/contract";
import { useOperation } from "../../api/hooks.ts";
import { useMay } from "../../api/permissions.ts";
import { useEnvironment } from "../../api/session.tsx";
import { linkOf } from "../../health/alert-link.ts";
import { countMessages, sayTrouble, sayWaiting } from "../../health/outage.ts";
import { useTryNow } from "../../health/use-try-now.ts";
import { words as healthWords } from "../../health/words.ts";
import { formatDuration, useNow } from "../../kit/data/time.tsx";
import { ErrorPanel, Skeleton } from "../../kit/feedback/states.tsx";
import { Badge, Verdict } from "../../kit/feedback/verdict.tsx";
import { Button, LinkButton } from "../../kit/inputs/button.tsx";
import { Card } from "../../kit/layout/page.tsx";
import { channelNames } from "../../outcomes/channel-names.ts";
import css from "./home.module.css";
import { words } from "./words.ts";

type Item = {
  key: string;
  tone: "bad" | "warn" | "info";
  title: string;
  text: string;
  /** An integration that can be tried now. */
  tryNow?: { id: string; name: string };
  link?: Pick<LinkProps, "to" | "params" | "search"> & { label: string };
};

/** Shorter waits are normal. */
const maxLagSeconds = 30;

export function useAttention() {
  const { type } = useEnvironment();
  const now = useNow(true);
  const { data, error, refetch } = useOperation("system.retrieve", {}, { every: 10_000, isInBackground: true });
  // An outage and its end are watched.
  const isWatched = data !== undefined && data.environment.breakers.length + data.environment.waiting.length > 0;
  useOperation("system.retrieve", {}, { every: 3_000, enabled: isWatched });
  const integrations = useOperation("integrations.list", {}, { enabled: type === "prod" });
  const providers = useOperation("providers.list", { query: {} }, { enabled: type === "prod", staleTime: 3_600_000 });
  const captured = type === "prod" ? capturedChannels(integrations.data, providers.data) : [];
  const alerts = useOperation("alerts.list", { query: { status: "open", limit: 20 } }, { every: 30_000 });
  const sources = useOperation("sources.list", {}, { every: 10_000 });
  const items = data
    ? [
        ...itemsOf(data, now),
        ...sourceItems(sources.data ?? []),
        ...alertItems(alerts.data?.data ?? []),
        ...capturedItems(captured),
      ]
    : [];
  return { data, error, refetch, items };
}

export function Attention({ data, error, refetch, items }: ReturnType<typeof useAttention>) {
  const may = useMay();
  const { tryNow, isBusy } = useTryNow();
  const toldTone = ["bad", "warn", "info"].find((tone) => items.some((item) => item.tone === tone)) as Item["tone"];
  return (
    <Card title={words.attention.title} actions={items.length > 0 && <Badge tone={toldTone}>{items.length}</Badge>}>
      {error && <ErrorPanel error={error} onRetry={refetch} />}
      {!data && !error && <Skeleton rows={3} />}
      {data && items.length === 0 && (
        <div className={css.item}>
          <Verdict tone="good" />
          <div>
            <strong>{words.attention.none}</strong>
            <p className={css.muted}>{words.attention.noneText}</p>
          </div>
        </div>
      )}
      {items.length > 0 && (
        <ul className={css.items} aria-label={words.attention.title}>
          {items.map(({ key, tone, title, text, tryNow: tried, link }) => (
            <li key={key} className={css.item}>
              <Verdict tone={tone} />
              <div>
                <strong>{title}</strong>
                <p className={css.muted}>{text}</p>
                <span className={css.itemActions}>
                  {tried && may("integrations.tryNow") && (
                    <Button size="small" icon="refresh" onClick={() => tryNow(tried.id, tried.name)} disabled={isBusy}>
                      {healthWords.outage.tryNow}
                    </Button>
                  )}
                  {link && (
                    <LinkButton size="small" {...link}>
                      {link.label}
                    </LinkButton>
                  )}
                </span>
              </div>
            </li>
          ))}
        </ul>
      )}
      {data && (
        <p className={css.system}>
          {words.system(data.versions.service, data.versions.postgres.split(" ")[0]!, data.processes)}
        </p>
      )}
    </Card>
  );
}

/** An integration that is away, and one that is back and has messages to send. */
function integrationItems({ breakers, waiting }: SystemState["environment"], now: number): Item[] {
  const link = (integrationId: string) => ({
    ...{ to: "/integrations/$integrationId" as const, params: { integrationId } },
    label: words.attention.openIntegration,
  });
  return [
    ...breakers.map((breaker): Item => {
      const { integrationId, name } = breaker;
      const held = waiting.find((one) => one.integrationId === integrationId);
      return {
        key: integrationId,
        tone: "bad",
        title: sayTrouble(breaker, now),
        text: sayWaiting(breaker, held, now),
        tryNow: { id: integrationId, name },
        link: link(integrationId),
      };
    }),
    ...waiting
      .filter(({ state }) => state === "closed")
      .map(
        ({ integrationId, name, channel, count }): Item => ({
          key: integrationId,
          tone: "info",
          title: healthWords.outage.back(name),
          text: healthWords.outage.goingOut(countMessages(channel, count)),
          link: link(integrationId),
        }),
      ),
  ];
}

function itemsOf({ environment, queue }: SystemState, now: number): Item[] {
  const { attention } = words;
  const items: (Item | false)[] = [
    ...integrationItems(environment, now),
    environment.deadLetters > 0 && {
      key: "dead-letters",
      tone: "bad",
      title:
        environment.deadLetters === 1
          ? attention.deadLetter
          : attention.deadLetters(attention.capped(environment.deadLetters)),
      text: attention.deadLettersText,
      link: { to: "/dead-letters", label: attention.openDeadLetters },
    },
    environment.failedTasks > 0 && {
      key: "failed-tasks",
      tone: "bad",
      title:
        environment.failedTasks === 1
          ? attention.failedTask
          : attention.failedTasks(attention.capped(environment.failedTasks)),
      text: attention.failedTasksText,
      link: { to: "/dead-letters", search: { tab: "tasks" }, label: attention.openFailedTasks },
    },
    environment.failedWebhookDeliveries > 0 && {
      key: "webhooks",
      tone: "warn",
      title:
        environment.failedWebhookDeliveries === 1
          ? attention.webhook
          : attention.webhooks(attention.capped(environment.failedWebhookDeliveries)),
      text: attention.webhooksText,
      link: { to: "/webhooks", label: attention.openWebhooks },
    },
    ...environment.failingWebhooks.map(
      ({ webhookId, url, failures, lastError }): Item => ({
        key: webhookId,
        tone: "bad",
        title: attention.failingWebhook(URL.parse(url)?.host ?? url, failures),
        text: attention.failingWebhookText(lastError),
        link: { to: "/webhooks/$webhookId", params: { webhookId }, label: attention.openWebhook },
      }),
    ),
    environment.disabledWebhooks > 0 && {
      key: "disabled",
      tone: "warn",
      title: attention.disabled(environment.disabledWebhooks),
      text: attention.disabledText,
      link: { to: "/webhooks", label: attention.openWebhooks },
    },
    environment.oldestEventSeconds > maxLagSeconds && {
      key: "lag",
      tone: "warn",
      title: attention.lag(formatDuration(environment.oldestEventSeconds * 1_000)),
      text: attention.lagText,
    },
    ...queue
      .filter(({ lagSeconds }) => lagSeconds > maxLagSeconds)
      .map(
        ({ kind, lagSeconds }): Item => ({
          key: `queue-${kind}`,
          tone: "warn",
          title: attention.queueLag(kind, formatDuration(lagSeconds * 1_000)),
          text: attention.lagText,
        }),
      ),
  ];
  return items.filter((item): item is Item => item !== false);
}

/** Databases that cannot be read: what they trigger by SQL waits there. */
const sourceItems = (sources: readonly Source[]): Item[] =>
  sources
    .filter(({ state }) => state === "failing")
    .map(({ id, name, lastError = "" }) => ({
      key: id,
      tone: "bad",
      title: words.attention.failingSource(name),
      text: words.attention.failingSourceText(lastError),
      link: { to: "/sources/$sourceId", params: { sourceId: id }, label: words.attention.openSource },
    }));

/** Alerts about what the state of the system does not show; the others are lines of the list already. */
const ownLines: readonly AlertKindName[] = ["workflow_objective", "workflow_runaway", "storage"];

const alertItems = (alerts: readonly Alert[]): Item[] =>
  alerts
    .filter(({ kind }) => ownLines.includes(kind))
    .map((alert) => ({
      key: alert._id,
      tone: "bad",
      title: alert.title,
      text: `${alert.text} ${alert.advice}`,
      link: { ...linkOf(alert), label: words.attention.openAlert },
    }));

/** Channels whose active integrations all send nothing. */
function capturedChannels(integrations: Integration[] = [], providers: Provider[] = []): Channel[] {
  const isCapture = ({ providerId }: Integration) => providers.find(({ id }) => id === providerId)?.isCapture === true;
  const active = integrations.filter((one) => one.active && one.channel !== "in_app");
  const channels = [...new Set(active.map(({ channel }) => channel))];
  return channels.filter((channel) => active.filter((one) => one.channel === channel).every(isCapture));
}

const capturedItems = (channels: Channel[]): Item[] =>
  channels.map((channel) => ({
    key: `capture-${channel}`,
    tone: "warn",
    title: words.attention.capture(channelNames[channel]),
    text: words.attention.captureText,
    link: { to: "/integrations/new", search: { channel }, label: words.attention.addIntegration },
  }));
