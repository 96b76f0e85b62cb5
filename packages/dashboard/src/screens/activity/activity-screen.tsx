// The activity list.
import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import { Button } from "../../kit/button.tsx";
import { Page } from "../../kit/page.tsx";
import { useRowWindow } from "../../kit/row-window.ts";
import { EmptyState, ErrorPanel, Skeleton } from "../../kit/states.tsx";
import { Time } from "../../kit/time.tsx";
import { Dot } from "../../kit/verdict.tsx";
import { words as kitWords } from "../../words.ts";
import css from "./activity.module.css";
import { ActivityRow } from "./activity-row.tsx";
import { triggerCurl } from "./curl.ts";
import { FilterBar } from "./filter-bar.tsx";
import { readFilters } from "./filters.ts";
import { activityRoute } from "./routes.ts";
import { type Activity, useActivity } from "./use-activity.ts";
import { words } from "./words.ts";

export function ActivityScreen() {
  const filters = readFilters(activityRoute.useSearch());
  const [isLive, setLive] = useState(true);
  const activity = useActivity(filters, isLive);
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <Page
      title={words.title}
      lead={words.lead}
      actions={<LiveButton isLive={isLive} onToggle={() => setLive(!isLive)} />}
    >
      <FilterBar filters={filters} />
      {activity.error && <ErrorPanel error={activity.error} onRetry={activity.retry} />}
      {activity.isPending && !activity.error && <Skeleton rows={10} />}
      {!activity.isPending && activity.rows.length === 0 && !activity.hasMore && <NoRows isFiltered={isFiltered} />}
      {(activity.rows.length > 0 || activity.hasMore) && <Rows activity={activity} />}
    </Page>
  );
}

const LiveButton = ({ isLive, onToggle }: { isLive: boolean; onToggle: () => void }) => (
  <Button onClick={onToggle} title={isLive ? words.pause : words.resume}>
    <span className={css.live}>
      <Dot tone={isLive ? "good" : "quiet"} isMoving={isLive} />
      {isLive ? words.live : words.paused}
    </span>
  </Button>
);

const NoRows = ({ isFiltered }: { isFiltered: boolean }) =>
  isFiltered ? (
    <EmptyState icon="filter" title={words.noMatch} text={words.noMatchText} />
  ) : (
    <EmptyState
      icon="activity"
      title={words.none}
      text={words.noneText}
      command={triggerCurl({ name: "welcome", to: "ada", payload: { name: "Ada" } })}
    />
  );

const narrow = "(max-width: 40rem)";

/** As in activity.module.css. */
function useRowHeight(): number {
  const isNarrow = useSyncExternalStore(
    (onChange) => {
      const query = window.matchMedia(narrow);
      query.addEventListener("change", onChange);
      return () => query.removeEventListener("change", onChange);
    },
    () => window.matchMedia(narrow).matches,
  );
  return isNarrow ? 88 : 44;
}

function Rows({ activity }: { activity: Activity }) {
  const { rows, held, showHeld, hasMore, isLoadingMore, isLoadedAlone, loadMore, scannedTo } = activity;
  const rowHeight = useRowHeight();
  const { ref, from, to, before, after } = useRowWindow(rows.length, rowHeight);
  const endRef = useEndReached(loadMore, hasMore && isLoadedAlone && !activity.error);
  return (
    <>
      {held > 0 && (
        <div className={css.held}>
          <Button look="primary" size="small" onClick={showHeld}>
            {words.newRows(held)}
          </Button>
        </div>
      )}
      <div ref={ref} className={rows.length > 0 ? css.list : undefined}>
        <ul aria-label={words.list}>
          {before > 0 && <li aria-hidden="true" style={{ height: before }} />}
          {rows.slice(from, to).map((row, index) => (
            <li key={row.id} aria-setsize={hasMore ? -1 : rows.length} aria-posinset={from + index + 1}>
              <ActivityRow row={row} />
            </li>
          ))}
          {after > 0 && <li aria-hidden="true" style={{ height: after }} />}
        </ul>
      </div>
      <div ref={endRef} className={css.more}>
        {hasMore && scannedTo && (
          <span>
            {words.scannedTo} <Time at={scannedTo} />
          </span>
        )}
        {hasMore ? (
          <Button onClick={loadMore} disabled={isLoadingMore}>
            {isLoadingMore ? kitWords.loading : kitWords.more}
          </Button>
        ) : (
          words.end
        )}
      </div>
    </>
  );
}

/** Calls back when the end of the list comes near, and again as long as it stays near. */
function useEndReached(onReach: () => void, isOn: boolean) {
  const ref = useRef<HTMLDivElement>(null);
  const latest = useRef(onReach);
  latest.current = onReach;
  useEffect(() => {
    if (!isOn || !ref.current) return;
    const observer = new IntersectionObserver(
      (entries) => entries.some(({ isIntersecting }) => isIntersecting) && latest.current(),
      { rootMargin: "800px" },
    );
    observer.observe(ref.current);
    return () => observer.disconnect();
  });
  return ref;
}
