// What the address of this screen carries.
import { choiceParam, pageParam, present, type RawSearch, textParam } from "../../kit/search-params.ts";

export type AlertsTab = "alerts" | "rules";

export type AlertsSearch = {
  tab?: AlertsTab;
  state?: "open" | "resolved";
  /** The rule that is edited, or `new`. */
  rule?: string;
  page?: number;
};

export const readAlertsSearch = ({ tab, state, rule, page }: RawSearch): AlertsSearch =>
  present({
    tab: choiceParam(tab, ["rules"]),
    state: choiceParam(state, ["open", "resolved"]),
    rule: textParam(rule),
    page: pageParam(page),
  });
