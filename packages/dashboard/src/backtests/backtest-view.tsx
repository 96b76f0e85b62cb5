// One backtest: its progress, then its report, or one person of it. The report stays in place behind a person, so that
// the way back leads to the same page of people.
import { useEffect, useRef } from "react";
import { Notice } from "../kit/feedback/notice.tsx";
import { EmptyState, ErrorPanel, Skeleton } from "../kit/feedback/states.tsx";
import { LinkButton } from "../kit/inputs/button.tsx";
import { Stack } from "../kit/layout/layout.tsx";
import { PersonView } from "./person-view.tsx";
import type { BacktestPlace, Placed } from "./place.ts";
import { ProgressCard } from "./progress-card.tsx";
import { Report } from "./report.tsx";
import { useBacktest } from "./use-backtest.ts";
import { words } from "./words.ts";

type BacktestViewProps = Placed & { backtestId: string; onCanceled: () => void };

export function BacktestView({ backtestId, place, onPlace, onCanceled }: BacktestViewProps) {
  const { data, error, refetch } = useBacktest(backtestId);
  const { person } = place;
  const keepPlace = useWayBack(person !== undefined);
  if (error?.status === 404)
    return (
      <EmptyState
        icon="flask"
        title={words.gone.title}
        text={words.gone.text}
        action={<LinkButton to="/backtests">{words.gone.back}</LinkButton>}
      />
    );
  if (!data) return error ? <ErrorPanel error={error} onRetry={refetch} /> : <Skeleton rows={4} />;
  const { status, failure, report, sample } = data;
  const open = (next: BacktestPlace) => {
    if (next.person !== undefined) keepPlace();
    onPlace(next);
  };
  const close = () => onPlace({ ...place, person: undefined });
  return (
    <Stack>
      {error && <ErrorPanel error={error} onRetry={refetch} />}
      {(status === "queued" || status === "running") && <ProgressCard backtest={data} onCanceled={onCanceled} />}
      {status === "failed" && (
        <Notice tone="bad">
          <strong>{words.failed}</strong>
          <p>{failure ?? words.failedText}</p>
        </Notice>
      )}
      {status === "canceled" && <Notice tone="warn">{words.canceled.title}</Notice>}
      {sample && person === undefined && <Notice tone="warn">{sample.sentence}.</Notice>}
      {report && (
        <div hidden={person !== undefined}>
          <Report backtest={data} report={report} place={place} onPlace={open} />
        </div>
      )}
      {report && person !== undefined && (
        <PersonView key={person} backtestId={backtestId} subscriberId={person} onBack={close} />
      )}
    </Stack>
  );
}

/** Back from a person, with the button or with the browser's, the report is where it was left, and so is the focus. */
function useWayBack(isAway: boolean): () => void {
  const left = useRef<{ scrollY: number; focused: Element | null } | null>(null);
  useEffect(() => {
    if (isAway || !left.current) return;
    const { scrollY, focused } = left.current;
    left.current = null;
    if (focused instanceof HTMLElement) focused.focus({ preventScroll: true });
    window.scrollTo(0, scrollY);
  }, [isAway]);
  return () => {
    left.current = { scrollY: window.scrollY, focused: document.activeElement };
  };
}
