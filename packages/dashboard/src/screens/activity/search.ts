// What the address of a run carries, and what its screen reads first. The filters of the list are in filters.ts.
import type { NotificationOutcome } from "@tidings/contract";
import { pageParam, present, type RawSearch, textParam } from "../../kit/search-params.ts";
import { outcomeNames } from "../../outcomes/outcome-names.ts";
import { memberOf } from "./filters.ts";

export type RunSearch = { subscriber?: string; page?: number; outcome?: NotificationOutcome };

/** `person` is the name in older links. */
export const readRunSearch = ({ person, subscriber = person, page, outcome }: RawSearch): RunSearch =>
  present({ subscriber: textParam(subscriber), page: pageParam(page), outcome: memberOf(outcome, outcomeNames) });

/** What the screen of a run reads first. */
export const eventInput = (transactionId: string) => ({ query: { transactionId, limit: 1 } });
export const recipientsPageSize = 20;
export const recipientsInput = (transactionId: string, { page = 0, outcome }: RunSearch) => ({
  query: { transactionId, limit: recipientsPageSize, page, outcome: outcome && [outcome] },
});
