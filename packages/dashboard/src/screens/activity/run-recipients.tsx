// The subscribers of an event that went to many: how many of them got it, and each of them, page by page.

import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import type { ActivityEvent, Notification } from "@tidings/contract";
import { Pager } from "../../kit/data/table.tsx";
import { Dot, Verdict } from "../../kit/feedback/verdict.tsx";
import { Button } from "../../kit/inputs/button.tsx";
import { Card } from "../../kit/layout/page.tsx";
import { outcomeNames } from "../../outcomes/outcome-names.ts";
import { outcomeTones } from "../../outcomes/tones.ts";
import type { Outcome } from "./filters.ts";
import { toRecipientRow } from "./recipient-data.ts";
import css from "./run.module.css";
import { recipientsPageSize } from "./search.ts";
import { words } from "./words.ts";

const runRoute = getRouteApi("/shell/activity/$transactionId");

type RunRecipientsProps = {
  event: ActivityEvent | undefined;
  subscribers: Notification[];
  hasMore: boolean;
  chosen: string | undefined;
};

export function RunRecipients({ event, subscribers, hasMore, chosen }: RunRecipientsProps) {
  const navigate = useNavigate();
  const { transactionId } = runRoute.useParams();
  const { page = 0, outcome } = runRoute.useSearch();
  const place = { to: "/activity/$transactionId", params: { transactionId } } as const;
  const show = (search: { page?: number; outcome?: Outcome }) =>
    void navigate({ ...place, search, resetScroll: false });
  const go = (to: number) => show({ ...(outcome && { outcome }), ...(to > 0 && { page: to }) });
  const from = page * recipientsPageSize;
  return (
    <Card title={event?.verdict ?? words.subscribers}>
      {event && (
        <OutcomeChips event={event} chosen={outcome} onChoose={(next) => show(next ? { outcome: next } : {})} />
      )}
      <ul className={css.subscribers} aria-label={words.subscribers}>
        {subscribers.map(toRecipientRow).map((row) => (
          <li key={row.id}>
            <Link
              {...place}
              search={{ subscriber: row.subscriberId, ...(page > 0 && { page }), ...(outcome && { outcome }) }}
              resetScroll={false}
              className={css.subscriberRow}
              data-chosen={row.subscriberId === chosen}
            >
              <Verdict tone={outcomeTones[row.outcome]} size={15} />
              <span className="visually-hidden">{outcomeNames[row.outcome]}</span>
              <span className={css.subscriberName}>{row.name}</span>
              <span className={css.subscriberVerdict}>{row.verdict}</span>
            </Link>
          </li>
        ))}
      </ul>
      {(page > 0 || hasMore) && (
        <Pager
          note={words.subscribersCount(from + 1, from + subscribers.length)}
          onPrevious={page > 0 ? () => go(page - 1) : undefined}
          onNext={hasMore ? () => go(page + 1) : undefined}
        />
      )}
    </Card>
  );
}

type OutcomeChipsProps = { event: ActivityEvent; chosen: Outcome | undefined; onChoose: (next?: Outcome) => void };

/** The outcomes that occur, as a bar and as filters. */
function OutcomeChips({ event: { outcomes, recipients }, chosen, onChoose }: OutcomeChipsProps) {
  const present = (Object.keys(outcomeNames) as Outcome[]).filter((outcome) => outcomes[outcome] > 0);
  return (
    <div className={css.aggregate}>
      <div className={css.bar} aria-hidden="true">
        {present.map((outcome) => (
          <span
            key={outcome}
            className={css.segment}
            data-tone={outcomeTones[outcome]}
            style={{ flexGrow: outcomes[outcome] / Math.max(1, recipients) }}
          />
        ))}
      </div>
      <div className={css.chips}>
        {present.map((outcome) => (
          <Button
            key={outcome}
            size="small"
            aria-pressed={chosen === outcome}
            onClick={() => onChoose(chosen === outcome ? undefined : outcome)}
          >
            <Dot tone={outcomeTones[outcome]} />
            {outcomeNames[outcome]}
            <span className={css.count}>{outcomes[outcome].toLocaleString()}</span>
          </Button>
        ))}
      </div>
    </div>
  );
}
