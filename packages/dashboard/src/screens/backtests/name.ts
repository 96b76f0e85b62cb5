// The name of a backtest in the list and on its page.
import type { Backtest } from "@tidings/contract";
import { words } from "../../backtests/words.ts";

export const nameOf = ({ name, isCalibrationOnly, workflowIds }: Backtest): string =>
  name ?? (isCalibrationOnly ? words.calibrationOnly : (workflowIds[0] ?? words.one.unnamed));
