import type { BacktestStatus } from "@tidings/contract";
import { statusTones } from "../../backtests/use-backtest.ts";
import { words } from "../../backtests/words.ts";
import { Badge } from "../../kit/feedback/verdict.tsx";

export const StatusBadge = ({ status }: { status: BacktestStatus }) => (
  <Badge tone={statusTones[status]}>{words.statuses[status]}</Badge>
);
