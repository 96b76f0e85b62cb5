// One step of a run: what became of it, who decided that, where it can be changed, and everything it left behind.

import { Link } from "@tanstack/react-router";
import type { ExplainedStep, Explanation } from "@tidings/contract";
import { Icon } from "../../icons.tsx";
import { InlineCode } from "../../kit/code.tsx";
import { Sentence, Time } from "../../kit/time.tsx";
import { TimelineCard, TimelineHead, TimelineItem } from "../../kit/timeline.tsx";
import { Badge } from "../../kit/verdict.tsx";
import { type Decider, findDecider, linkToPlace } from "./deciders.ts";
import { MessageView } from "./message-view.tsx";
import { stepIcons, stepTones } from "./outcomes.ts";
import { ResendStep } from "./resend/resend-step.tsx";
import css from "./run.module.css";
import { words } from "./words.ts";

type StepCardProps = { step: ExplainedStep; explanation: Explanation };

export function StepCard({ step, explanation }: StepCardProps) {
  const tone = stepTones[step.outcome];
  const decider = findDecider(step);
  const { details = [], messages, result } = step;
  // A step that has not begun has one detail: that it exists.
  const hasDetails = details.length > 0 && step.outcome !== "pending";
  const hasInside = messages.length > 0 || hasDetails;
  return (
    <TimelineItem icon={stepIcons[step.type]} tone={tone}>
      <TimelineCard isPending={step.outcome === "pending"}>
        <TimelineHead time={step.at && <Time at={step.at} />}>
          <strong>{step.name}</strong>
          <Badge tone={tone}>{words.outcomes[step.outcome]}</Badge>
          {result && words.results[result.status] !== "" && (
            <Badge tone={result.status === "bounced" ? "bad" : "good"}>{words.results[result.status]}</Badge>
          )}
          {result?.read ? <Badge>{words.read}</Badge> : result?.seen && <Badge>{words.seen}</Badge>}
        </TimelineHead>
        <p className={css.reason}>
          <Sentence text={step.reason} />
        </p>
        {step.outcome === "waiting" && step.until && (
          <p className={css.reason}>
            {words.goesOn} <Time at={step.until} isRelative />
          </p>
        )}
        {decider && <DeciderLine decider={decider} step={step} explanation={explanation} />}
        <ResendStep step={step} explanation={explanation} />
        {hasInside && (
          <div className={css.inside}>
            {messages.map((message, index) => (
              <MessageView key={message._id ?? index} message={message} transactionId={explanation.transactionId} />
            ))}
            {hasDetails && <Details step={step} />}
          </div>
        )}
      </TimelineCard>
    </TimelineItem>
  );
}

function DeciderLine({ decider, step, explanation }: StepCardProps & { decider: Decider }) {
  return (
    <p className={css.decider}>
      <span>
        {words.decided} {decider.who}
      </span>
      <Link {...linkToPlace(decider, step, explanation)} className={css.fix}>
        {words.change(decider.where)}
        <Icon name="arrowRight" size={13} />
      </Link>
    </p>
  );
}

function Details({ step: { details = [] } }: { step: ExplainedStep }) {
  return (
    <details className={css.details}>
      <summary>{words.details(details.length)}</summary>
      <ol>
        {details.map(({ _id, createdAt, detail, raw, providerId, status }) => (
          <li key={_id} data-status={status}>
            <span className={css.detailTime}>{createdAt && <Time at={createdAt} />}</span>
            <span>
              {detail}
              {providerId && providerId !== "svc" && <span className={css.weak}> · {providerId}</span>}
              {raw && raw !== "{}" && (
                <span className={css.raw}>
                  <InlineCode>{raw}</InlineCode>
                </span>
              )}
            </span>
          </li>
        ))}
      </ol>
    </details>
  );
}
