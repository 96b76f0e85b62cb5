// One person: why it did not get something, what it wants, how it is reached, and what its inbox looks like.
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import type { Subscriber } from "@tidings/contract";
import type { ReactNode } from "react";
import { useOperation } from "../../api/hooks.ts";
import { Id } from "../../kit/data/code.tsx";
import { EmptyState, ErrorPanel, Skeleton } from "../../kit/feedback/states.tsx";
import { Badge } from "../../kit/feedback/verdict.tsx";
import { Page } from "../../kit/layout/page.tsx";
import { Tabs } from "../../kit/layout/tabs.tsx";
import { Avatar, callNameOf, nameOf } from "../../subscribers/avatar.tsx";
import { SubscriberChannels } from "./subscriber-channels.tsx";
import { SubscriberInbox } from "./subscriber-inbox.tsx";
import { SubscriberPreferences } from "./subscriber-preferences.tsx";
import { SubscriberProfile } from "./subscriber-profile.tsx";
import { SubscriberSchedule } from "./subscriber-schedule.tsx";
import { SubscriberTopics } from "./subscriber-topics.tsx";
import { SubscriberWhy } from "./subscriber-why.tsx";
import css from "./subscribers.module.css";
import { words } from "./words.ts";

const subscriberRoute = getRouteApi("/shell/subscribers/$subscriberId");

const panels: Record<keyof typeof words.tabs, (subscriber: Subscriber) => ReactNode> = {
  why: (subscriber) => <SubscriberWhy subscriber={subscriber} />,
  preferences: (subscriber) => (
    <SubscriberPreferences subscriberId={subscriber.subscriberId} name={callNameOf(subscriber)} />
  ),
  schedule: (subscriber) => <SubscriberSchedule subscriber={subscriber} />,
  channels: (subscriber) => <SubscriberChannels subscriber={subscriber} />,
  topics: (subscriber) => <SubscriberTopics subscriberId={subscriber.subscriberId} />,
  inbox: (subscriber) => <SubscriberInbox subscriberId={subscriber.subscriberId} />,
  profile: (subscriber) => <SubscriberProfile key={subscriber.updatedAt} subscriber={subscriber} />,
};
type TabName = keyof typeof panels;

export function SubscriberScreen() {
  const { subscriberId } = subscriberRoute.useParams();
  const { tab } = subscriberRoute.useSearch();
  const navigate = useNavigate();
  const { data: subscriber, error, refetch } = useOperation("subscribers.retrieve", { params: { subscriberId } });
  const chosen: TabName = tab !== undefined && tab in panels ? (tab as TabName) : "why";
  const back = { to: "/subscribers", label: words.back } as const;
  if (!subscriber)
    return (
      <Page title={subscriberId} back={back}>
        {!error && <Skeleton />}
        {error?.status === 404 && <EmptyState isBad icon="users" title={words.missing} text={words.missingText} />}
        {error && error.status !== 404 && <ErrorPanel error={error} onRetry={refetch} />}
      </Page>
    );
  return (
    <Page
      title={nameOf(subscriber)}
      back={back}
      heading={
        <span className={css.heading}>
          <Avatar subscriber={subscriber} isLarge />
          <span className={css.headingText}>
            <span>
              {nameOf(subscriber)} {subscriber.isOnline && <Badge tone="good">{words.online}</Badge>}
            </span>
            <span className={css.headingNote}>
              <Id text={subscriber.subscriberId} what={words.id} />
              {subscriber.email && subscriber.email !== subscriber.subscriberId && (
                <Id text={subscriber.email} what={words.email} />
              )}
              {subscriber.phone && <Id text={subscriber.phone} what={words.phone} />}
            </span>
          </span>
        </span>
      }
    >
      <Tabs
        value={chosen}
        onChange={(value) =>
          void navigate({
            to: "/subscribers/$subscriberId",
            params: { subscriberId },
            search: (old) => ({ env: old.env, tab: value }),
          })
        }
        tabs={(Object.keys(panels) as TabName[]).map((value) => ({
          value,
          label: words.tabs[value],
          // Base UI keeps panels apart; only the chosen one reads its data.
          panel: value === chosen && panels[value](subscriber),
        }))}
      />
    </Page>
  );
}
