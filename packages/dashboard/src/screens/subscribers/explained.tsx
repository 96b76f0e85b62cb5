// What one event did for one subscriber, step by step: the reason, who decided, and the way to where that is changed.
import { Link } from "@tanstack/react-router";
import { useOperation } from "../../api/hooks.ts";
import { Icon } from "../../icons.tsx";
import { Sentence, Time } from "../../kit/data/time.tsx";
import { ErrorPanel, Skeleton } from "../../kit/feedback/states.tsx";
import { Badge } from "../../kit/feedback/verdict.tsx";
import { findDecision } from "../../outcomes/deciders.ts";
import { stepIcons, stepTones } from "../../outcomes/tones.ts";
import css from "./subscribers.module.css";
import why from "./why.module.css";
import { words } from "./words.ts";

/** `name`: of the subscriber, in sentences. */
type ExplainedProps = { transactionId: string; subscriberId: string; name: string };

export function Explained({ transactionId, subscriberId, name }: ExplainedProps) {
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
          search={{ subscriber: subscriberId }}
          className={why.fix}
        >
          {words.why.run}
          <Icon name="arrowRight" size={13} />
        </Link>
      </p>
      {!data.reached && data.via.kind !== "workflow_off" && (
        <p className={css.muted}>
          {data.via.text} {data.evaluatedNow && words.why.evaluatedNow}
        </p>
      )}
      <ol className={why.steps}>
        {data.steps.map((step) => {
          const decision = findDecision(step, { workflowId: data.event.workflowId, subscriberId, subscriber: name });
          return (
            <li key={step.stepId} className={why.step}>
              <span className={why.stepSign} data-tone={stepTones[step.outcome]}>
                <Icon name={stepIcons[step.type]} size={14} />
              </span>
              <div>
                <p className={why.stepHead}>
                  <strong>{step.name}</strong>
                  <Badge tone={stepTones[step.outcome]}>
                    {step.outcome === "waiting" && step.code === "step_digested"
                      ? words.why.collecting
                      : words.why.outcomes[step.outcome]}
                  </Badge>
                  {step.at && (
                    <span className={css.faint}>
                      <Time at={step.at} />
                    </span>
                  )}
                </p>
                <p className={css.muted}>
                  <Sentence text={step.reason} />
                </p>
                {decision && (
                  <p className={why.decider}>
                    <span>{decision.who}</span>
                    <Link {...decision.link} className={why.fix}>
                      {decision.where}
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
