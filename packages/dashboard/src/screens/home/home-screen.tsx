// The start page: the first notification in a minute, then what needs attention and what happened last.
import { useState } from "react";
import { useOperation } from "../../api/hooks.ts";
import { useEnvironment } from "../../api/session.tsx";
import { ErrorPanel, Skeleton } from "../../kit/feedback/states.tsx";
import { Page } from "../../kit/layout/page.tsx";
import { Attention, useAttention } from "./attention.tsx";
import { FirstNotification } from "./first-notification.tsx";
import css from "./home.module.css";
import { RecentEvents } from "./recent-events.tsx";
import { words } from "./words.ts";

export function HomeScreen() {
  const { name } = useEnvironment();
  const events = useOperation("activity.listEvents", { query: { limit: 8 } }, { every: 4_000 });
  const attention = useAttention();
  const alerts = attention.items.filter(({ tone }) => tone === "bad").length;
  // Fixed for this visit: the block that the reader watches does not move when the first event comes.
  const [wasNew, setWasNew] = useState<boolean>();
  const isNew = wasNew ?? events.data?.data.length === 0;
  if (wasNew === undefined && events.data) setWasNew(isNew);
  return (
    <Page title={words.title} lead={words.lead(name)} alerts={alerts}>
      {events.error && <ErrorPanel error={events.error} onRetry={events.refetch} />}
      {!events.data && !events.error && <Skeleton rows={8} />}
      {events.data && (
        <div className={css.stack}>
          {/* The block is below the others from the next visit on. */}
          <div className={css.first} data-new={isNew}>
            <FirstNotification isNew={isNew} />
          </div>
          <div className={css.columns}>
            <RecentEvents events={events.data.data} />
            <Attention {...attention} />
          </div>
        </div>
      )}
    </Page>
  );
}
