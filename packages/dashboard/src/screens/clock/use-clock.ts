// The timeline of the environment, read often while its clock moves; and the moves.
import type { CallInput, Output } from "@tidings/contract";
import { useEffect, useRef, useState } from "react";
import type { ApiError } from "../../api/api-error.ts";
import { useChange, useOperation } from "../../api/hooks.ts";
import { useEnvironment } from "../../api/session.tsx";
import { showError } from "../../kit/overlays/toast.tsx";

export type EnvironmentTimeline = Output<"environments.retrieveTimeline">;
type Move = CallInput<"environments.updateClock">["body"];

const restingMs = 3_000;
const movingMs = 500;
const entries = 100;

export type ClockState = {
  timeline: EnvironmentTimeline | undefined;
  error: ApiError | null;
  refetch: () => void;
  isMoving: boolean;
  /** Where the last move on this page started. */
  movedFrom: string | null;
  /** Messages after that moment which were there before the move: a clock that starts in the past finds some. */
  madeBefore: number;
  move: (body: Move, onDone?: () => void) => void;
};

export function useClock(): ClockState {
  const { _id: environmentId } = useEnvironment();
  const params = { environmentId };
  const [isUnderWay, setUnderWay] = useState(false);
  const [{ movedFrom, madeBefore }, setStart] = useState<Start>({ movedFrom: null, madeBefore: 0 });
  // A move changes what every screen of this environment shows.
  const change = useChange("environments.updateClock", ["environments.retrieveTimeline", "captured.list"]);
  const isMoving = change.isPending || isUnderWay;
  const { data, error, refetch } = useOperation(
    "environments.retrieveTimeline",
    { params, query: { limit: entries } },
    { every: isMoving ? movingMs : restingMs, keep: true },
  );
  const status = data?.clock.status;
  useEffect(() => setUnderWay(status === "moving"), [status]);
  const latest = useRef(data);
  latest.current = data;
  const move = (body: Move, onDone?: () => void) => {
    const before = latest.current;
    const from = before?.clock.isTestClock ? before.clock.now : null;
    setStart({ movedFrom: from, madeBefore: from === null ? 0 : countMade(before!.results, from) });
    change.mutate({ params, body }, { onSuccess: onDone, onError: showError });
  };
  return { timeline: data, error, refetch, isMoving, movedFrom, madeBefore, move };
}

type Start = Pick<ClockState, "movedFrom" | "madeBefore">;

/** Messages made after a moment. */
export const countMade = (results: EnvironmentTimeline["results"], from: string): number =>
  results.reduce((sum, { until, count }) => (Date.parse(until) > Date.parse(from) ? sum + count : sum), 0);
