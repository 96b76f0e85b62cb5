// A backtest that is read again until it has ended.
import { useQuery } from "@tanstack/react-query";
import type { Backtest, BacktestStatus } from "@tidings/contract";
import type { ApiError } from "../api/api-error.ts";
import { operationQuery } from "../api/hooks.ts";
import { useEnvironment } from "../api/session.tsx";
import type { Tone } from "../kit/tone.ts";

const everyMs = 1_000;

export const isMoving = ({ status }: Backtest): boolean => status === "queued" || status === "running";

export const statusTones: Readonly<Record<BacktestStatus, Tone>> = {
  queued: "info",
  running: "info",
  completed: "good",
  failed: "bad",
  canceled: "warn",
};

export function useBacktest(backtestId: string) {
  const { _id } = useEnvironment();
  return useQuery<Backtest, ApiError>({
    ...operationQuery(_id, "backtests.get", { params: { backtestId } }),
    refetchInterval: ({ state: { data, error } }) => (!error && data && isMoving(data) ? everyMs : false),
    // A report does not change.
    staleTime: ({ state: { data } }) => (data && !isMoving(data) ? 600_000 : 0),
  });
}
