// The activity list.
import { getRouteApi } from "@tanstack/react-router";
import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import { downloadFile } from "../../api/client.ts";
import { triggerCurl } from "../../api/curl.ts";
import { useMay } from "../../api/permissions.ts";
import { useEnvironment } from "../../api/session.tsx";
import { useRowWindow } from "../../kit/data/row-window.ts";
import { formatTime } from "../../kit/data/time.tsx";
import { EmptyState, ErrorPanel, Skeleton } from "../../kit/feedback/states.tsx";
import { Dot } from "../../kit/feedback/verdict.tsx";
import { Button } from "../../kit/inputs/button.tsx";
import { Page } from "../../kit/layout/page.tsx";
import { showError } from "../../kit/overlays/toast.tsx";
import { words as kitWords } from "../../words.ts";
import css from "./activity.module.css";
import { ActivityRow } from "./activity-row.tsx";
import { queryOf } from "./data.ts";
import { FilterBar } from "./filter-bar.tsx";
import { type ActivityFilters, readFilters, rememberFilters } from "./filters.ts";
import { type Activity, useActivity } from "./use-activity.ts";
import { focusFirstRow, useRowKeys } from "./use-row-keys.ts";
import { words } from "./words.ts";

const activityRoute = getRouteApi("/shell/activity");

export function ActivityScreen() {
  const filters = readFilters(activityRoute.useSearch());
  const { _id: environmentId } = useEnvironment();
  rememberFilters(environmentId, filters);
  const [isLive, setLive] = useState(true);
  const [isPointing, setPointing] = useState(false);
  const activity = useActivity(filters, isLive, isPointing);
  const isFiltered = Object.keys(filters).length > 0;
  const hasRows = activity.rows.length > 0;
  return (
    <Page
      title={words.title}
      lead={
        <>
          {words.lead}
          {hasRows && (
            <button type="button" className={css.skip} onClick={focusFirstRow}>
              {words.skip}
            </button>
          )}
        </>
      }
      actions={
        <>
          <ExportButton filters={filters} />
          <LiveButton isLive={isLive} isConnected={activity.isConnected} onToggle={() => setLive(!isLive)} />
        </>
      }
    >
      <FilterBar filters={filters} onLeave={focusFirstRow} />
      {activity.error && <ErrorPanel error={activity.error} onRetry={activity.retry} />}
      {activity.isPending && !activity.error && <Skeleton rows={10} />}
      {!activity.isPending && !hasRows && !activity.hasMore && <NoRows isFiltered={isFiltered} />}
      {(hasRows || activity.hasMore) && <Rows activity={activity} onPoint={setPointing} />}
    </Page>
  );
}

type LiveButtonProps = { isLive: boolean; isConnected: boolean; onToggle: () => void };

const LiveButton = ({ isLive, isConnected, onToggle }: LiveButtonProps) => (
  <Button onClick={onToggle} title={isLive ? words.pause : words.resume}>
    <span className={css.live}>
      <Dot tone={isLive ? (isConnected ? "good" : "warn") : "quiet"} isMoving={isLive && isConnected} />
      {isLive ? (isConnected ? words.live : words.reconnecting) : words.paused}
    </span>
  </Button>
);

function ExportButton({ filters }: { filters: ActivityFilters }) {
  const may = useMay();
  const [isBusy, setBusy] = useState(false);
  if (!may("exports.activity")) return null;
  const download = () => {
    setBusy(true);
    void downloadFile("v1/exports/activity.csv", queryOf(filters), "activity.csv")
      .catch(showError)
      .finally(() => setBusy(false));
  };
  return (
    <Button icon="download" onClick={download} disabled={isBusy} title={words.exportHint}>
      {isBusy ? words.exporting : words.export}
    </Button>
  );
}

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
  return isNarrow ? 104 : 56;
}

function Rows({ activity, onPoint }: { activity: Activity; onPoint: (isPointing: boolean) => void }) {
  const { rows, held, showHeld, hasMore } = activity;
  const rowHeight = useRowHeight();
  const { ref, from, to, before, after } = useRowWindow(rows.length, rowHeight);
  const { stop, onKeyDown, onFocus } = useRowKeys(ref, { count: rows.length, from, to, rowHeight });
  const endRef = useEndReached(activity.loadMore, hasMore && activity.isLooking);
  // A list that goes away takes the pointer off its rows without an event.
  useEffect(() => () => onPoint(false), [onPoint]);
  return (
    <>
      {held.count > 0 && (
        <div className={css.held}>
          <Button look="primary" size="small" onClick={showHeld}>
            {words.newRows(held.count, held.isMore)}
          </Button>
        </div>
      )}
      <div
        ref={ref}
        className={rows.length > 0 ? css.list : undefined}
        onPointerMove={({ pointerType }) => pointerType === "mouse" && onPoint(true)}
        onPointerLeave={() => onPoint(false)}
      >
        <ul
          aria-label={words.list}
          onKeyDown={onKeyDown}
          onFocus={(event) => {
            onFocus(event);
            onPoint(true);
          }}
          onBlur={({ currentTarget, relatedTarget }) => currentTarget.contains(relatedTarget) || onPoint(false)}
        >
          {before > 0 && <li aria-hidden="true" style={{ height: before }} />}
          {rows.slice(from, to).map((row, index) => (
            <li key={row.id} aria-setsize={hasMore ? -1 : rows.length} aria-posinset={from + index + 1}>
              <ActivityRow row={row} index={from + index} isStop={from + index === stop} />
            </li>
          ))}
          {after > 0 && <li aria-hidden="true" style={{ height: after }} />}
        </ul>
      </div>
      <div ref={endRef} className={css.more}>
        <End activity={activity} />
      </div>
    </>
  );
}

/** Shown below the last row: how far the search came, and whether it continues. */
function End({ activity: { rows, hasMore, scannedTo, isLooking, keepLooking } }: { activity: Activity }) {
  if (!hasMore) return words.end;
  const time = scannedTo && formatTime(scannedTo, "minute");
  if (isLooking) return <span role="status">{time ? words.searching(time) : kitWords.loading}</span>;
  return (
    <>
      {time && <span role="status">{rows.length > 0 ? words.searchedTo(time) : words.nothingYet(time)}</span>}
      <Button onClick={keepLooking}>{time ? words.keepLooking : kitWords.more}</Button>
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
