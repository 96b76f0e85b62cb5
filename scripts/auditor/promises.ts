// All promises, in the order of docs/promises.md.
import type { PromiseCheck } from "./judge.ts";
import acceptedEnds from "./promises/accepted-ends.ts";
import audienceOnce from "./promises/audience-once.ts";
import budgets from "./promises/budgets.ts";
import canceledSilent from "./promises/canceled-silent.ts";
import countsEqualLists from "./promises/counts-equal-lists.ts";
import delays from "./promises/delays.ts";
import digestsExact from "./promises/digests-exact.ts";
import explained from "./promises/explained.ts";
import external from "./promises/external.ts";
import idempotent from "./promises/idempotent.ts";
import inAppOnce from "./promises/in-app-once.ts";
import inAppOrder from "./promises/in-app-order.ts";
import live from "./promises/live.ts";
import nothingStuck from "./promises/nothing-stuck.ts";
import retracted from "./promises/retracted.ts";
import rollUpsExact from "./promises/roll-ups-exact.ts";
import rowsWhole from "./promises/rows-whole.ts";
import sqlOnce from "./promises/sql-once.ts";
import tenancy from "./promises/tenancy.ts";
import unaccepted from "./promises/unaccepted.ts";
import waits from "./promises/waits.ts";

export const promises: PromiseCheck[] = [
  acceptedEnds,
  inAppOnce,
  unaccepted,
  inAppOrder,
  live,
  countsEqualLists,
  digestsExact,
  rollUpsExact,
  budgets,
  external,
  canceledSilent,
  retracted,
  delays,
  waits,
  audienceOnce,
  sqlOnce,
  idempotent,
  tenancy,
  nothingStuck,
  explained,
  rowsWhole,
];
