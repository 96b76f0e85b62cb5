// Why a person is in an audience, or is not: the parts of the rule that decide, and what was found for each.
import { getRouteApi } from "@tanstack/react-router";
import type { Audience } from "@tidings/contract";
import { useState } from "react";
import { useOperation } from "../../api/hooks.ts";
import { Sentence } from "../../kit/data/time.tsx";
import { ErrorPanel, Skeleton } from "../../kit/feedback/states.tsx";
import { Verdict } from "../../kit/feedback/verdict.tsx";
import { Hidden, Muted } from "../../kit/layout/layout.tsx";
import { Card } from "../../kit/layout/page.tsx";
import { type Subscriber, SubscriberPicker } from "../../subscribers/subscriber-picker.tsx";
import css from "./audiences.module.css";
import { words } from "./words.ts";

const say = words.why;
const audienceRoute = getRouteApi("/shell/audiences/$audienceId");

export function Why({ audience: { audienceId } }: { audience: Audience }) {
  const { who } = audienceRoute.useSearch();
  const navigate = audienceRoute.useNavigate();
  const [known, setKnown] = useState<Subscriber | undefined>();
  const chosen = who === undefined ? undefined : known?.subscriberId === who ? known : { subscriberId: who, name: who };
  const choose = (next: Subscriber | undefined) => {
    setKnown(next);
    void navigate({ search: (old) => ({ ...old, who: next?.subscriberId }), replace: true, resetScroll: false });
  };
  return (
    <Card title={say.title}>
      <div className={css.why}>
        <SubscriberPicker label={say.label} placeholder={say.text} subscriber={chosen} onChoose={choose} />
        {chosen && <Explanation audienceId={audienceId} person={chosen} />}
      </div>
    </Card>
  );
}

function Explanation({ audienceId, person }: { audienceId: string; person: Subscriber }) {
  const { subscriberId, name } = person;
  const { data, error, refetch } = useOperation("audiences.explain", { params: { audienceId, subscriberId } });
  if (error) return <ErrorPanel error={error} onRetry={error.status === 404 ? undefined : refetch} />;
  if (!data) return <Skeleton rows={2} />;
  const { isMember, sentence, reasons } = data;
  return (
    <div className={css.why} role="status">
      <p className={css.verdict}>
        <Verdict tone={isMember ? "good" : "quiet"} />
        {isMember ? say.yes(name) : say.no(name)}
      </p>
      {reasons.length === 0 && (
        <Muted isSmall>
          <Sentence text={sentence} />
        </Muted>
      )}
      {reasons.length > 0 && (
        <ul className={css.reasons}>
          {reasons.map(({ text, holds, value }) => (
            <li key={text}>
              <span>
                <Verdict tone={holds ? "good" : "bad"} size={14} />
                <Hidden>{holds ? say.holds : say.fails}</Hidden>
              </span>
              <span>
                {text}
                {value !== undefined && <span className={css.found}>{say.found(valueText(value))}</span>}
              </span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

const maxValue = 120;

function valueText(value: unknown): string {
  if (value === null || value === "" || (Array.isArray(value) && value.length === 0)) return say.nothing;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > maxValue ? `${text.slice(0, maxValue - 1)}…` : text;
}
