// A request that is repeated with its key gets the response of the first time, and happens once: the events that were
// created from it have one row each, whatever the outcome.
import type { PromiseCheck } from "../judge.ts";

export default {
  id: "idempotent",
  title: "A repeated request gets the first response, and happens once",
  check({ ledger, rows }, judge) {
    judge.compared(ledger.repeatedRequests);
    for (const { request, what, at } of ledger.contradictions) judge.broken(`${request}: ${what}`, { at });
    if (!rows) return judge.note("without the database: only the responses");
    for (const [text, found] of rows.byText) {
      const entry = found[0]!.entry!;
      if (entry.operation === "sql") continue;
      const what = () => `the request for ${text} happened ${found.length} times`;
      judge.expect(found.length === 1, what, {
        at: entry.answeredAt,
        detail: found.map(({ transactionId }) => transactionId),
      });
    }
  },
} satisfies PromiseCheck;
