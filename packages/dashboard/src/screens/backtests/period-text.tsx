import type { Backtest } from "@tidings/contract";
import { words } from "../../backtests/words.ts";
import { formatDay, formatMoment } from "../../kit/data/time.tsx";

export const PeriodText = ({ from, to }: Pick<Backtest, "from" | "to">) => (
  <span title={`${formatMoment(from)} ${words.one.until} ${formatMoment(to)}`}>
    {formatDay(from)} {words.one.until} {formatDay(to)}
  </span>
);
