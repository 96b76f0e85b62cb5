// The in-app messages of one subscriber as the subscriber sees them, newest first; new ones appear automatically.
import type { SubscriberNotification } from "@tidings/contract";
import type { ReactNode } from "react";
import { useOperation } from "../api/hooks.ts";
import { Time } from "../kit/data/time.tsx";
import { ErrorPanel, Skeleton } from "../kit/feedback/states.tsx";
import { Badge } from "../kit/feedback/verdict.tsx";
import css from "./inbox-feed.module.css";
import { words } from "./words.ts";

type FeedProps = {
  subscriberId: string;
  limit?: number;
  /** Milliseconds between two reads. */
  every?: number;
  archived?: boolean;
  empty: ReactNode;
  /** Buttons of one message. */
  actions?: (notification: SubscriberNotification) => ReactNode;
};

export function InboxFeed({ subscriberId, limit = 20, every = 4_000, archived, empty, actions }: FeedProps) {
  // A subscriber who does not exist yet is not an error here: the first event creates it.
  const subscriber = useOperation("subscribers.list", { query: { subscriberId, limit: 1 } }, { every: 3_000 });
  const isThere = (subscriber.data?.data.length ?? 0) > 0;
  const feed = useOperation(
    "subscriberNotifications.list",
    { params: { subscriberId }, query: { limit, ...(archived && { archived }) } },
    { every, enabled: isThere },
  );
  const error = subscriber.error ?? feed.error;
  if (error) return <ErrorPanel error={error} />;
  if (!subscriber.data || (isThere && !feed.data)) return <Skeleton rows={3} />;
  const items = feed.data?.data ?? [];
  if (items.length === 0) return empty;
  return (
    <ol className={css.list}>
      {items.map((item) => (
        <li key={item.id} className={css.item} data-unread={!item.isRead}>
          <span className={css.mark}>
            {!item.isRead && <span className="visually-hidden">{words.inbox.unread}</span>}
          </span>
          <div className={css.body}>
            {item.subject && <strong>{item.subject}</strong>}
            <p>{plainText(item.body)}</p>
            <span className={css.foot}>
              <Time at={item.createdAt} isRelative />
              {item.isSnoozed && <Badge>{words.inbox.snoozed}</Badge>}
              {[item.primaryAction, item.secondaryAction].map(
                (action) => action && <Badge key={action.label}>{action.label}</Badge>,
              )}
            </span>
          </div>
          {actions && <span className={css.actions}>{actions(item)}</span>}
        </li>
      ))}
    </ol>
  );
}

/** Bodies may have a little HTML for emphasis; it is shown as text, since it was written by others. */
function plainText(html: string): string {
  if (!html.includes("<") && !html.includes("&")) return html;
  return new DOMParser().parseFromString(html, "text/html").body.textContent ?? "";
}
