// One step of a run: what happened to it, who decided that, where it can be changed, and everything it left behind.

import { Link } from "@tanstack/react-router";
import type { ExplainedStep, Explanation } from "@tidings/contract";
import { Icon } from "../../icons.tsx";
import { InlineCode } from "../../kit/data/code.tsx";
import { DueTime, Sentence, Time } from "../../kit/data/time.tsx";
import { TimelineCard, TimelineHead, TimelineItem } from "../../kit/data/timeline.tsx";
import { Badge } from "../../kit/feedback/verdict.tsx";
import { type Decision, findDecision } from "../../outcomes/deciders.ts";
import { stepIcons, stepTones } from "../../outcomes/tones.ts";
import { MessageView } from "./message-view.tsx";
import { ResendStep } from "./resend/resend-step.tsx";
import css from "./run.module.css";
import { words } from "./words.ts";

/** `subscriber`: the name of the subscriber, where it is known. */
type StepCardProps = { step: ExplainedStep; explanation: Explanation; subscriber?: string };

export function StepCard({ step, explanation, subscriber }: StepCardProps) {
  const tone = step.code === "attention_rolled_up" ? "info" : stepTones[step.outcome];
  const { event, subscriberId } = explanation;
  const decision = findDecision(step, { workflowId: event.workflowId, subscriberId, subscriber });
  const { details = [], result } = step;
  // A message for nobody has nothing to show.
  const messages = step.messages.filter(({ status, address, content }) => status !== "warning" || address || content);
  // A step that has not begun has one detail: that it exists.
  const hasDetails = details.length > 0 && step.outcome !== "pending";
  const hasInside = messages.length > 0 || hasDetails;
  return (
    <TimelineItem icon={stepIcons[step.type]} tone={tone}>
      <TimelineCard isPending={step.outcome === "pending"}>
        <TimelineHead time={step.at && <Time at={step.at} />}>
          <strong>{step.name}</strong>
          <Badge tone={tone}>{outcomeWord(step)}</Badge>
          {result && words.results[result.status] !== "" && (
            <Badge tone={result.status === "bounced" ? "bad" : "good"}>{words.results[result.status]}</Badge>
          )}
          <LaterBadge details={details} />
          {result?.read ? <Badge>{words.read}</Badge> : result?.seen && <Badge>{words.seen}</Badge>}
        </TimelineHead>
        <p className={css.reason}>
          <Sentence text={step.reason} />
        </p>
        {step.outcome === "waiting" && step.until && (
          <p className={css.reason}>
            <DueTime at={step.until} words={dueWords(step)} />
          </p>
        )}
        {decision && <DecisionLine decision={decision} />}
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

/** That the message was retracted or replaced later, or could not be. */
function LaterBadge({ details }: { details: NonNullable<ExplainedStep["details"]> }) {
  const later = details.findLast(({ code = "" }) => words.later[code] !== undefined);
  if (!later) return null;
  return <Badge tone={later.status === "Failed" ? "bad" : "warn"}>{words.later[later.code ?? ""]}</Badge>;
}

/** An open digest collects; what an attention budget held is not lost unless it says so. */
const outcomeWord = ({ outcome, code = "" }: ExplainedStep): string =>
  outcome === "waiting" && code === "step_digested" ? words.collecting : (words.held[code] ?? words.outcomes[outcome]);

/** A message that waits for its provider is retried; a delay resumes. */
const dueWords = ({ code }: ExplainedStep) =>
  code === "waiting_for_provider" || code === "provider_retry" ? words.due.retry : words.due.wait;

const DecisionLine = ({ decision: { who, where, link } }: { decision: Decision }) => (
  <p className={css.decider}>
    <span>{who}</span>
    <Link {...link} className={css.fix}>
      {where}
      <Icon name="arrowRight" size={13} />
    </Link>
  </p>
);

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
