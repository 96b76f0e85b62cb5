// What needs a person: each line says what is wrong, what it means, and where to go.

import type { LinkProps } from "@tanstack/react-router";
import type { Channel, Integration, Provider, SystemState } from "@tidings/contract";
import { useOperation } from "../../api/hooks.ts";
import { useEnvironment } from "../../app/session.tsx";
import { LinkButton } from "../../kit/button.tsx";
import { Card } from "../../kit/page.tsx";
import { ErrorPanel, Skeleton } from "../../kit/states.tsx";
import { formatDuration } from "../../kit/time.tsx";
import { Badge, Verdict } from "../../kit/verdict.tsx";
import css from "./home.module.css";
import { words } from "./words.ts";

type Item = {
  key: string;
  tone: "bad" | "warn";
  title: string;
  text: string;
  link?: Pick<LinkProps, "to" | "params" | "search"> & { label: string };
};

/** Shorter waits are normal. */
const longestLagSeconds = 30;

export function Attention() {
  const { type } = useEnvironment();
  const { data, error, refetch } = useOperation("system.retrieve", {}, { every: 10_000 });
  const integrations = useOperation("integrations.list", {}, { enabled: type === "prod" });
  const providers = useOperation("providers.list", { query: {} }, { enabled: type === "prod", staleTime: 3_600_000 });
  const captured = type === "prod" ? capturedChannels(integrations.data, providers.data) : [];
  const items = data ? [...itemsOf(data), ...capturedItems(captured)] : [];
  return (
    <Card
      title={words.attention.title}
      actions={
        items.length > 0 && (
          <Badge tone={items.some(({ tone }) => tone === "bad") ? "bad" : "warn"}>{items.length}</Badge>
        )
      }
    >
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
          {items.map(({ key, tone, title, text, link }) => (
            <li key={key} className={css.item}>
              <Verdict tone={tone} />
              <div>
                <strong>{title}</strong>
                <p className={css.muted}>{text}</p>
                {link && (
                  <LinkButton size="small" {...link}>
                    {link.label}
                  </LinkButton>
                )}
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

function itemsOf({ environment, queue }: SystemState): Item[] {
  const { attention } = words;
  const items: (Item | false)[] = [
    ...environment.breakers.map(
      ({ integrationId, name }): Item => ({
        key: integrationId,
        tone: "bad",
        title: attention.breaker(name),
        text: attention.breakerText,
        link: { to: "/integrations/$integrationId", params: { integrationId }, label: attention.openIntegration },
      }),
    ),
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
    environment.disabledWebhooks > 0 && {
      key: "disabled",
      tone: "warn",
      title: attention.disabled(environment.disabledWebhooks),
      text: attention.disabledText,
      link: { to: "/webhooks", label: attention.openWebhooks },
    },
    environment.oldestEventSeconds > longestLagSeconds && {
      key: "lag",
      tone: "warn",
      title: attention.lag(formatDuration(environment.oldestEventSeconds * 1_000)),
      text: attention.lagText,
    },
    ...queue
      .filter(({ lagSeconds }) => lagSeconds > longestLagSeconds)
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
    title: words.attention.capture(words.channels[channel]),
    text: words.attention.captureText,
    link: { to: "/integrations/new", search: { channel }, label: words.attention.addIntegration },
  }));
