// The people of an event that went to many, page by page.

import { Link, useNavigate } from "@tanstack/react-router";
import type { Notification } from "@tidings/contract";
import { Card } from "../../kit/page.tsx";
import { Pager } from "../../kit/table.tsx";
import { Verdict } from "../../kit/verdict.tsx";
import { toRow } from "./data.ts";
import { outcomeNames } from "./filters.ts";
import { outcomeTones } from "./outcomes.ts";
import { runRoute } from "./routes.ts";
import css from "./run.module.css";
import { words } from "./words.ts";

export const peoplePageSize = 20;

type RunPeopleProps = { people: Notification[]; hasMore: boolean; page: number; chosen: string | undefined };

export function RunPeople({ people, hasMore, page, chosen }: RunPeopleProps) {
  const navigate = useNavigate();
  const { transactionId } = runRoute.useParams();
  const go = (to: number) =>
    void navigate({ to: "/activity/$transactionId", params: { transactionId }, search: to > 0 ? { page: to } : {} });
  const from = page * peoplePageSize;
  return (
    <Card title={words.people}>
      <ul className={css.people} aria-label={words.people}>
        {people.map((notification) => {
          const row = toRow(notification);
          const subscriberId = row.person?.subscriberId ?? "";
          return (
            <li key={row.id}>
              <Link
                to="/activity/$transactionId"
                params={{ transactionId }}
                search={{ person: subscriberId, ...(page > 0 && { page }) }}
                resetScroll={false}
                className={css.personRow}
                data-chosen={subscriberId === chosen}
                activeOptions={{ includeSearch: true }}
              >
                <Verdict tone={outcomeTones[row.outcome]} size={15} />
                <span className={css.hidden}>{outcomeNames[row.outcome]}</span>
                <span className={css.personName}>{row.person?.name}</span>
                <span className={css.personVerdict}>{row.verdict}</span>
              </Link>
            </li>
          );
        })}
      </ul>
      {(page > 0 || hasMore) && (
        <Pager
          note={words.peopleCount(from + 1, from + people.length, hasMore)}
          onPrevious={page > 0 ? () => go(page - 1) : undefined}
          onNext={hasMore ? () => go(page + 1) : undefined}
        />
      )}
    </Card>
  );
}
