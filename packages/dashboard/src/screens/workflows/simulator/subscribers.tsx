// Who gets what at the chosen moment, and why not.
import { Link } from "@tanstack/react-router";
import type { DryRun, ExplainedMessage, ExplainedStep } from "@tidings/contract";
import { Icon } from "../../../icons.tsx";
import { HtmlFrame } from "../../../kit/data/html-frame.tsx";
import { formatDuration } from "../../../kit/data/time.tsx";
import { Badge } from "../../../kit/feedback/verdict.tsx";
import { Facts } from "../../../kit/layout/page.tsx";
import type { Tone } from "../../../kit/tone.ts";
import { stepIcons, stepTones } from "../../../outcomes/tones.ts";
import { type Recipient, stateOf } from "./axis.ts";
import { findFix } from "./reasons.ts";
import css from "./simulator.module.css";
import { words } from "./words.ts";

type SubscribersProps = { run: DryRun; nameOf: (subscriberId: string) => string; moment: number; workflowId: string };

export function Subscribers({ run, nameOf, moment, workflowId }: SubscribersProps) {
  const start = Date.parse(run.time);
  return (
    <section className={css.subscribers} aria-label={words.subscribers}>
      <h2>{words.subscribers}</h2>
      <ul className={css.subscribersList}>
        {run.recipients.map((recipient) => (
          <li key={recipient.subscriberId}>
            <SubscriberCard
              recipient={recipient}
              name={nameOf(recipient.subscriberId)}
              moment={moment}
              start={start}
              workflowId={workflowId}
            />
          </li>
        ))}
      </ul>
      {run.notReached.length > 0 && (
        <details className={css.left}>
          <summary>{words.notReached(run.notReached.length)}</summary>
          <ul>
            {run.notReached.map(({ subscriberId, via }) => (
              <li key={subscriberId}>
                <strong>{subscriberId}</strong> {via.text}
              </li>
            ))}
          </ul>
        </details>
      )}
      {run.truncated && <p className={css.weak}>{words.truncated(run.audienceCount)}</p>}
    </section>
  );
}

type SubscriberCardProps = { recipient: Recipient; name: string; moment: number; start: number; workflowId: string };

function SubscriberCard({ recipient, name, moment, start, workflowId }: SubscriberCardProps) {
  const { subscriberId, isNew, reached, via, verdict, steps } = recipient;
  return (
    <article className={css.card} aria-label={name}>
      <header className={css.cardHead}>
        <Link to="/subscribers/$subscriberId" params={{ subscriberId }}>
          <strong>{name}</strong>
        </Link>
        {isNew && <Badge tone="info">{words.newSubscriber}</Badge>}
        <span className={css.verdict}>{reached ? verdict : via.text}</span>
      </header>
      <ol className={css.steps}>
        {steps.map((step, index) => (
          <StepLine
            key={step.stepId}
            step={step}
            state={stateOf(steps, index, moment)}
            offset={step.at === undefined ? undefined : Date.parse(step.at) - start}
            subscriberId={subscriberId}
            workflowId={workflowId}
          />
        ))}
      </ol>
    </article>
  );
}

type StepLineProps = {
  step: ExplainedStep;
  state: ReturnType<typeof stateOf>;
  offset: number | undefined;
  subscriberId: string;
  workflowId: string;
};

function StepLine({ step, state, offset, subscriberId, workflowId }: StepLineProps) {
  const isDecided = state === "past" || state === "now";
  const tone: Tone = isDecided ? stepTones[step.outcome] : state === "waiting" ? "info" : "quiet";
  const label = isDecided ? words.outcomes[step.outcome] : state === "waiting" ? words.waits : words.ahead;
  const fix = isDecided ? findFix(step, subscriberId, workflowId) : undefined;
  return (
    <li className={css.step} data-state={state}>
      <span className={css.stepIcon}>
        <Icon name={stepIcons[step.type]} size={14} />
      </span>
      <div className={css.stepBody}>
        <p className={css.stepHead}>
          <strong>{step.name}</strong>
          <Badge tone={tone}>{label}</Badge>
          {offset !== undefined && (
            <span className={css.offset}>{offset < 1_000 ? words.atOnce : words.later(formatDuration(offset))}</span>
          )}
        </p>
        {isDecided && (
          <>
            <p className={css.weak}>{step.reason}</p>
            {fix && (
              <Link {...fix.link} className={css.fix}>
                {words.change(fix.where)}
                <Icon name="arrowRight" size={13} />
              </Link>
            )}
            {step.messages.map((message, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: messages of a dry-run have no id
              <Message key={index} message={message} />
            ))}
          </>
        )}
      </div>
    </li>
  );
}

function Message({ message }: { message: ExplainedMessage }) {
  const { channel, address, subject, content, providerId, integrationIdentifier } = message;
  const provider = providerId === "svc" ? undefined : (integrationIdentifier ?? providerId);
  const isHtml = channel === "email" && /<\w/.test(content ?? "");
  return (
    <div className={css.message}>
      <Facts
        of={[
          [words.address, address],
          [words.through, provider],
        ]}
      />
      {content !== undefined && content !== "" && (
        <details>
          <summary>
            {subject ||
              content
                .replace(/<[^>]*>/g, " ")
                .trim()
                .slice(0, 80) ||
              words.content}
          </summary>
          {isHtml ? (
            <div className={css.frame}>
              <HtmlFrame html={content} title={subject ?? words.content} height="18rem" />
            </div>
          ) : (
            <p className={css.text}>{content}</p>
          )}
        </details>
      )}
    </div>
  );
}
