// What the address of this screen carries.
import { choiceParam, present, type RawSearch, textParam } from "../../kit/search-params.ts";

export const environmentTabs = ["keys", "variables", "publish", "history"] as const;
export type EnvironmentTab = (typeof environmentTabs)[number];

/** `source` and `target` are identifiers of environments; `publish` is the opened one of the history. */
export type EnvironmentSearch = {
  tab?: EnvironmentTab;
  source?: string;
  target?: string;
  publish?: string;
  after?: string;
};

export const readEnvironmentSearch = ({ tab, source, target, publish, after }: RawSearch): EnvironmentSearch =>
  present({
    tab: choiceParam(tab, environmentTabs),
    source: textParam(source),
    target: textParam(target),
    publish: textParam(publish),
    after: textParam(after, 400),
  });
