// Where a person lands: the first notification in a minute, then what needs attention and what happened last.
import { useOperation } from "../../api/hooks.ts";
import { useEnvironment } from "../../app/session.tsx";
import { Page } from "../../kit/page.tsx";
import { ErrorPanel, Skeleton } from "../../kit/states.tsx";
import { Attention } from "./attention.tsx";
import { FirstNotification } from "./first-notification.tsx";
import css from "./home.module.css";
import { RecentEvents } from "./recent-events.tsx";
import { words } from "./words.ts";

export function HomeScreen() {
  const { name } = useEnvironment();
  const events = useOperation("activity.listEvents", { query: { limit: 8 } }, { every: 4_000 });
  const isNew = events.data?.data.length === 0;
  return (
    <Page title={words.title} lead={words.lead(name)}>
      {events.error && <ErrorPanel error={events.error} onRetry={events.refetch} />}
      {!events.data && !events.error && <Skeleton rows={8} />}
      {events.data && (
        <div className={css.stack}>
          {/* The block moves down once there is something to see, but it stays the same one, with its inbox. */}
          <div className={css.first} data-new={isNew}>
            <FirstNotification isNew={isNew} />
          </div>
          <div className={css.columns}>
            <RecentEvents events={events.data.data} />
            <Attention />
          </div>
        </div>
      )}
    </Page>
  );
}
