// What one event did for one person, step by step: the reason, who decided, and the way to where that is changed.
import { Link } from "@tanstack/react-router";
import { useOperation } from "../../api/hooks.ts";
import { Icon } from "../../icons.tsx";
import { ErrorPanel, Skeleton } from "../../kit/states.tsx";
import { Sentence, Time } from "../../kit/time.tsx";
import { Badge } from "../../kit/verdict.tsx";
import { findDecider, linkToPlace } from "../activity/deciders.ts";
import { stepIcons, stepTones } from "../activity/outcomes.ts";
import css from "./people.module.css";
import why from "./why.module.css";
import { words } from "./words.ts";

type ExplainedProps = { transactionId: string; subscriberId: string };

export function Explained({ transactionId, subscriberId }: ExplainedProps) {
  const { data, error, refetch } = useOperation(
    "explain.retrieve",
    { query: { transactionId, subscriberId } },
    { every: 5_000 },
  );
  if (error) return <ErrorPanel error={error} onRetry={refetch} />;
  if (!data) return <Skeleton rows={3} />;
  return (
    <div className={why.explained}>
      <p>
        <strong className={why.verdict}>
          <Sentence text={data.verdict} />
        </strong>{" "}
        <Link
          to="/activity/$transactionId"
          params={{ transactionId }}
          search={{ person: subscriberId }}
          className={why.fix}
        >
          {words.why.run}
          <Icon name="arrowRight" size={13} />
        </Link>
      </p>
      {!data.reached && (
        <p className={css.muted}>
          {data.via.text} {data.evaluatedNow && words.why.evaluatedNow}
        </p>
      )}
      <ol className={why.steps}>
        {data.steps.map((step) => {
          const decider = findDecider(step);
          return (
            <li key={step.stepId} className={why.step}>
              <span className={why.stepSign} data-tone={stepTones[step.outcome]}>
                <Icon name={stepIcons[step.type]} size={14} />
              </span>
              <div>
                <p className={why.stepHead}>
                  <strong>{step.name}</strong>
                  <Badge tone={stepTones[step.outcome]}>{words.why.outcomes[step.outcome]}</Badge>
                  {step.at && (
                    <span className={css.faint}>
                      <Time at={step.at} />
                    </span>
                  )}
                </p>
                <p className={css.muted}>
                  <Sentence text={step.reason} />
                </p>
                {decider && (
                  <p className={why.decider}>
                    <span>
                      {words.why.decided} {decider.who}
                    </span>
                    <Link {...linkToPlace(decider, step, data)} className={why.fix}>
                      {words.why.change(decider.where)}
                      <Icon name="arrowRight" size={13} />
                    </Link>
                  </p>
                )}
              </div>
            </li>
          );
        })}
      </ol>
    </div>
  );
}
