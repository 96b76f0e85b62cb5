// What of a report is shown, as the address of a screen carries it: the screen of a backtest and the workflow editor
// have the same members.
import { present, type RawSearch, textParam } from "../kit/search-params.ts";

/** `effect`, `of`: whose people are listed, `of` being a workflow. `person`: whose messages are shown. */
export type BacktestPlace = { effect?: string; of?: string; person?: string };

/** For what shows a place and moves to others. */
export type Placed = { place: BacktestPlace; onPlace: (place: BacktestPlace) => void };

export const readPlace = ({ effect, of, person }: RawSearch): BacktestPlace =>
  present({ effect: textParam(effect), of: textParam(of), person: textParam(person) });
