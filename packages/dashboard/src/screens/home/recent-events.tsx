import { Link } from "@tanstack/react-router";
import type { ActivityEvent } from "@tidings/contract";
import { Icon } from "../../icons.tsx";
import { Sentence, Time } from "../../kit/data/time.tsx";
import { Verdict } from "../../kit/feedback/verdict.tsx";
import { LinkButton } from "../../kit/inputs/button.tsx";
import { Card } from "../../kit/layout/page.tsx";
import type { Tone } from "../../kit/tone.ts";
import css from "./home.module.css";
import { words } from "./words.ts";

export const RecentEvents = ({ events }: { events: readonly ActivityEvent[] }) => (
  <Card
    title={words.events.title}
    actions={
      events.length > 0 && (
        <LinkButton to="/activity" size="small" look="plain">
          {words.events.all}
          <Icon name="arrowRight" size={13} />
        </LinkButton>
      )
    }
  >
    {events.length === 0 ? (
      <p className={css.quiet}>
        <strong>{words.events.none}</strong> {words.events.noneText}
      </p>
    ) : (
      <ul className={css.events} aria-label={words.events.title}>
        {events.map((event) => (
          <li key={event.id}>
            <Link
              to="/activity/$transactionId"
              params={{ transactionId: event.transactionId }}
              className={css.event}
              preload={false}
            >
              <Verdict tone={toneOf(event)} size={15} />
              <span className={css.eventText}>
                <span className={css.eventName}>{event.workflow.name}</span>
                <span className={css.eventNote}>
                  <Sentence text={event.verdict} />
                </span>
              </span>
              <span className={css.eventEnd}>
                <Time at={event.createdAt} isRelative />
                <span className={css.eventSubscriber}>{subscriberOf(event)}</span>
              </span>
            </Link>
          </li>
        ))}
      </ul>
    )}
  </Card>
);

/** The worst of what happened to its subscribers. */
function toneOf({ outcomes, status }: ActivityEvent): Tone {
  if (outcomes.failed > 0) return "bad";
  if (outcomes.partly > 0) return "warn";
  if (outcomes.pending > 0 || status === "accepted" || status === "expanding") return "info";
  if (outcomes.delivered > 0) return "good";
  return status === "canceled" || outcomes.canceled > 0 ? "warn" : "quiet";
}

function subscriberOf({ recipient, recipients, isCapped }: ActivityEvent): string {
  if (!recipient) return words.events.subscribers(recipients, isCapped);
  return [recipient.firstName, recipient.lastName].filter(Boolean).join(" ") || recipient.subscriberId;
}
