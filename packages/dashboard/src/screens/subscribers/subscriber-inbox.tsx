// The inbox of a subscriber, with the marks that support may set.
import { useState } from "react";
import { useChange, useOperation } from "../../api/hooks.ts";
import { useMay } from "../../api/permissions.ts";
import { EmptyState } from "../../kit/feedback/states.tsx";
import { Badge } from "../../kit/feedback/verdict.tsx";
import { Button } from "../../kit/inputs/button.tsx";
import { useConfirm } from "../../kit/overlays/confirm.tsx";
import { showError } from "../../kit/overlays/toast.tsx";
import { InboxFeed } from "../../subscribers/inbox-feed.tsx";
import css from "./subscribers.module.css";
import { words } from "./words.ts";

const stale = ["subscriberNotifications.list", "subscriberNotifications.count"] as const;

export function SubscriberInbox({ subscriberId }: { subscriberId: string }) {
  const [isArchive, setArchive] = useState(false);
  const counts = useOperation(
    "subscriberNotifications.count",
    { params: { subscriberId }, query: { filters: JSON.stringify([{ read: false }]) } as never },
    { every: 5_000 },
  );
  const read = useChange("subscriberNotifications.markRead", stale);
  const unread = useChange("subscriberNotifications.markUnread", stale);
  const may = useMay();
  const { confirm, dialog } = useConfirm();
  const mark = (notificationId: string, isRead: boolean) =>
    confirm({ title: words.inbox.markTitle, label: isRead ? words.inbox.markUnread : words.inbox.markRead }, () =>
      (isRead ? unread : read).mutate({ params: { subscriberId, notificationId } }, { onError: showError }),
    );
  const unreadCount = counts.data?.[0]?.count ?? 0;
  return (
    <div className={css.stack}>
      {dialog}
      <div className={css.inboxHead}>
        <h2>{words.inbox.title}</h2>
        {unreadCount > 0 && <Badge tone="accent">{words.inbox.count(unreadCount)}</Badge>}
        <span className={css.end}>
          <Button size="small" look="plain" aria-pressed={isArchive} onClick={() => setArchive(!isArchive)}>
            {isArchive ? words.inbox.current : words.inbox.archived}
          </Button>
        </span>
      </div>
      <div className={css.inbox}>
        <InboxFeed
          subscriberId={subscriberId}
          archived={isArchive}
          empty={<EmptyState icon="bell" title={words.inbox.empty} text={words.inbox.emptyText} />}
          actions={({ id: notificationId, isRead, isSnoozed }) =>
            may("subscriberNotifications.markRead") &&
            !isSnoozed && (
              <Button size="small" look="plain" onClick={() => mark(notificationId, isRead)}>
                {isRead ? words.inbox.markUnread : words.inbox.markRead}
              </Button>
            )
          }
        />
      </div>
    </div>
  );
}
