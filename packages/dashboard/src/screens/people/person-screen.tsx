// One person: why it did not get something, what it wants, how it is reached, and what its inbox looks like.
import { useNavigate } from "@tanstack/react-router";
import type { Subscriber } from "@tidings/contract";
import type { ReactNode } from "react";
import { useOperation } from "../../api/hooks.ts";
import { Id } from "../../kit/code.tsx";
import { Page } from "../../kit/page.tsx";
import { EmptyState, ErrorPanel, Skeleton } from "../../kit/states.tsx";
import { Tabs } from "../../kit/tabs.tsx";
import { Badge } from "../../kit/verdict.tsx";
import { Avatar, callNameOf, nameOf } from "./avatar.tsx";
import css from "./people.module.css";
import { PersonChannels } from "./person-channels.tsx";
import { PersonInbox } from "./person-inbox.tsx";
import { PersonPreferences } from "./person-preferences.tsx";
import { PersonProfile } from "./person-profile.tsx";
import { PersonSchedule } from "./person-schedule.tsx";
import { PersonTopics } from "./person-topics.tsx";
import { PersonWhy } from "./person-why.tsx";
import { personRoute } from "./routes.ts";
import { words } from "./words.ts";

const panels: Record<keyof typeof words.tabs, (person: Subscriber) => ReactNode> = {
  why: (person) => <PersonWhy person={person} />,
  preferences: (person) => <PersonPreferences subscriberId={person.subscriberId} name={callNameOf(person)} />,
  schedule: (person) => <PersonSchedule person={person} />,
  channels: (person) => <PersonChannels person={person} />,
  topics: (person) => <PersonTopics subscriberId={person.subscriberId} />,
  inbox: (person) => <PersonInbox subscriberId={person.subscriberId} />,
  profile: (person) => <PersonProfile key={person.updatedAt} person={person} />,
};
type TabName = keyof typeof panels;

export function PersonScreen() {
  const { subscriberId } = personRoute.useParams();
  const { tab } = personRoute.useSearch();
  const navigate = useNavigate();
  const { data: person, error, refetch } = useOperation("subscribers.retrieve", { params: { subscriberId } });
  const chosen: TabName = tab !== undefined && tab in panels ? (tab as TabName) : "why";
  const back = { to: "/people", label: words.back } as const;
  if (!person)
    return (
      <Page title={subscriberId} back={back}>
        {!error && <Skeleton />}
        {error?.status === 404 && <EmptyState isBad icon="users" title={words.missing} text={words.missingText} />}
        {error && error.status !== 404 && <ErrorPanel error={error} onRetry={refetch} />}
      </Page>
    );
  return (
    <Page
      title={nameOf(person)}
      back={back}
      heading={
        <span className={css.heading}>
          <Avatar person={person} isLarge />
          <span className={css.headingText}>
            <span>
              {nameOf(person)} {person.isOnline && <Badge tone="good">{words.online}</Badge>}
            </span>
            <span className={css.headingNote}>
              <Id text={person.subscriberId} what={words.id} />
              {person.email && person.email !== person.subscriberId && <Id text={person.email} what={words.email} />}
              {person.phone && <Id text={person.phone} what={words.phone} />}
            </span>
          </span>
        </span>
      }
    >
      <Tabs
        value={chosen}
        onChange={(value) =>
          void navigate({
            to: "/people/$subscriberId",
            params: { subscriberId },
            search: (old) => ({ env: old.env, tab: value }),
          })
        }
        tabs={(Object.keys(panels) as TabName[]).map((value) => ({
          value,
          label: words.tabs[value],
          // Base UI keeps panels apart; only the chosen one reads its data.
          panel: value === chosen && panels[value](person),
        }))}
      />
    </Page>
  );
}
