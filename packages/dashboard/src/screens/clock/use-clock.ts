// The timeline of the environment, read often while its clock moves; and the moves.
import type { CallInput, Output } from "@tidings/contract";
import { useEffect, useRef, useState } from "react";
import type { ApiError } from "../../api/api-error.ts";
import { useChange, useOperation } from "../../api/hooks.ts";
import { useEnvironment } from "../../app/session.tsx";
import { showError } from "../../kit/toast.tsx";

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
  /** Where the last move that was made here began. */
  movedFrom: string | null;
  move: (body: Move, onDone?: () => void) => void;
};

export function useClock(): ClockState {
  const { _id: environmentId } = useEnvironment();
  const params = { environmentId };
  const [isUnderWay, setUnderWay] = useState(false);
  const [movedFrom, setMovedFrom] = useState<string | null>(null);
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
    const before = latest.current?.clock;
    setMovedFrom(before?.isTestClock ? before.now : null);
    change.mutate({ params, body }, { onSuccess: onDone, onError: showError });
  };
  return { timeline: data, error, refetch, isMoving, movedFrom, move };
}
