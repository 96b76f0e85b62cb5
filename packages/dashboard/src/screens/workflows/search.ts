// What the addresses of these screens carry: the filters of the list; the tab, the step and the view of the editor.
import { type BacktestPlace, readPlace } from "../../backtests/place.ts";
import { choiceParam, pageParam, present, type RawSearch, textParam } from "../../kit/search-params.ts";

const statuses = ["ACTIVE", "INACTIVE", "ERROR"] as const;
export type WorkflowStatus = (typeof statuses)[number];
export type ListSearch = { q?: string; status?: WorkflowStatus; page?: number };

const tabs = ["steps", "settings", "objectives", "experiments", "simulate", "backtest", "digests", "versions"] as const;
export type EditorTab = (typeof tabs)[number];

/** `backtest`: which one is shown, and what of it. */
export type EditorSearch = {
  tab?: EditorTab;
  step?: string;
  view?: "canvas";
  version?: string;
  backtest?: string;
} & BacktestPlace;

export const readListSearch = ({ q, status, page }: RawSearch): ListSearch =>
  present({ q: textParam(q), status: choiceParam(status, statuses), page: pageParam(page) });

export const readEditorSearch = ({ tab, step, view, version, backtest, ...place }: RawSearch): EditorSearch =>
  present({
    tab: choiceParam(tab, tabs),
    step: textParam(step),
    view: choiceParam(view, ["canvas"]),
    version: textParam(version),
    backtest: textParam(backtest),
    ...(backtest !== undefined && readPlace(place)),
  });

export const readInPlaceSearch = ({ step, view }: RawSearch): Pick<EditorSearch, "step" | "view"> =>
  present({ step: textParam(step), view: choiceParam(view, ["canvas"]) });
