// The people of an event that went to many: how many of them got it, and each of them, page by page.

import { Link, useNavigate } from "@tanstack/react-router";
import type { ActivityEvent, Notification } from "@tidings/contract";
import { Button } from "../../kit/button.tsx";
import { Card } from "../../kit/page.tsx";
import { Pager } from "../../kit/table.tsx";
import { Dot, Verdict } from "../../kit/verdict.tsx";
import { type Outcome, outcomeNames } from "./filters.ts";
import { outcomeTones } from "./outcomes.ts";
import { toPersonRow } from "./people-data.ts";
import { peoplePageSize, runRoute } from "./routes.ts";
import css from "./run.module.css";
import { words } from "./words.ts";

type RunPeopleProps = {
  event: ActivityEvent | undefined;
  people: Notification[];
  hasMore: boolean;
  chosen: string | undefined;
};

export function RunPeople({ event, people, hasMore, chosen }: RunPeopleProps) {
  const navigate = useNavigate();
  const { transactionId } = runRoute.useParams();
  const { page = 0, outcome } = runRoute.useSearch();
  const place = { to: "/activity/$transactionId", params: { transactionId } } as const;
  const show = (search: { page?: number; outcome?: Outcome }) =>
    void navigate({ ...place, search, resetScroll: false });
  const go = (to: number) => show({ ...(outcome && { outcome }), ...(to > 0 && { page: to }) });
  const from = page * peoplePageSize;
  return (
    <Card title={event?.verdict ?? words.people}>
      {event && (
        <OutcomeChips event={event} chosen={outcome} onChoose={(next) => show(next ? { outcome: next } : {})} />
      )}
      <ul className={css.people} aria-label={words.people}>
        {people.map(toPersonRow).map((row) => (
          <li key={row.id}>
            <Link
              {...place}
              search={{ person: row.subscriberId, ...(page > 0 && { page }), ...(outcome && { outcome }) }}
              resetScroll={false}
              className={css.personRow}
              data-chosen={row.subscriberId === chosen}
            >
              <Verdict tone={outcomeTones[row.outcome]} size={15} />
              <span className={css.hidden}>{outcomeNames[row.outcome]}</span>
              <span className={css.personName}>{row.name}</span>
              <span className={css.personVerdict}>{row.verdict}</span>
            </Link>
          </li>
        ))}
      </ul>
      {(page > 0 || hasMore) && (
        <Pager
          note={words.peopleCount(from + 1, from + people.length)}
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
