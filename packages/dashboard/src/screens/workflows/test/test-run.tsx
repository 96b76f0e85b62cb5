// The run of a test: its steps, read again until all have ended, and the ways to what was sent.
import type { ExplainedStep, WorkflowTest } from "@tidings/contract";
import { useEffect, useRef, useState } from "react";
import { useOperation } from "../../../api/hooks.ts";
import { Icon } from "../../../icons.tsx";
import { ErrorPanel } from "../../../kit/feedback/states.tsx";
import { Badge } from "../../../kit/feedback/verdict.tsx";
import { LinkButton } from "../../../kit/inputs/button.tsx";
import { stepIcons, stepTones } from "../../../outcomes/tones.ts";
import css from "./test.module.css";
import { words } from "./words.ts";

type TestRunProps = { test: WorkflowTest & { name: string } };

const open: ReadonlySet<ExplainedStep["outcome"]> = new Set(["waiting", "sending", "pending"]);

/** Between two reads, until all steps have ended. */
const soonMs = 1_000;

export function TestRun({ test: { transactionId, subscriberId, name } }: TestRunProps) {
  const [isOver, setOver] = useState(false);
  const last = useOperation(
    "explain.retrieve",
    { query: { transactionId, subscriberId } },
    { every: isOver ? undefined : soonMs, staleTime: 0 },
  );
  const steps = last.data?.steps ?? [];
  const hasEnded = steps.length > 0 && steps.every(({ outcome }) => !open.has(outcome));
  useEffect(() => setOver(hasEnded), [hasEnded]);
  const box = useRef<HTMLElement>(null);
  // Below a long payload, what was just sent would be out of sight.
  // biome-ignore lint/correctness/useExhaustiveDependencies: again when it has all its lines
  useEffect(() => void box.current?.scrollIntoView({ block: "nearest" }), [isOver]);
  const messages = steps.flatMap((step) => step.messages);
  const hasMail = messages.some(({ channel, providerId }) => channel !== "in_app" && providerId?.startsWith("svc-"));
  return (
    <section ref={box} className={css.run} aria-label={words.run}>
      <header className={css.runHead}>
        <h3>{words.runOf(name)}</h3>
        {!isOver && <Badge tone="info">{words.running}</Badge>}
      </header>
      {last.error && <ErrorPanel error={last.error} />}
      {/* While it runs, the head says so. */}
      <p className={isOver || steps.length === 0 ? css.weak : "visually-hidden"} role="status">
        {isOver ? last.data?.verdict : steps.length === 0 ? words.starting : words.running}
      </p>
      <ol className={css.steps}>
        {steps.map(({ stepId, name: stepName, type, outcome, reason }) => (
          <li key={stepId} className={css.step}>
            <Icon name={stepIcons[type]} size={14} />
            <span className={css.stepText}>
              <span className={css.stepHead}>
                <strong>{stepName}</strong>
                <Badge tone={stepTones[outcome]}>{words.outcomes[outcome]}</Badge>
              </span>
              <span className={css.weak}>{reason}</span>
            </span>
          </li>
        ))}
      </ol>
      {/* In another tab: the draft here is not saved. */}
      <div className={css.links}>
        <LinkButton
          size="small"
          icon="external"
          target="_blank"
          to="/activity/$transactionId"
          params={{ transactionId }}
        >
          {words.openRun}
        </LinkButton>
        {hasMail && (
          <LinkButton size="small" icon="external" target="_blank" to="/mailbox" search={{ q: transactionId }}>
            {words.openMailbox}
          </LinkButton>
        )}
        {messages.some(({ channel }) => channel === "in_app") && (
          <LinkButton
            size="small"
            icon="external"
            target="_blank"
            to="/subscribers/$subscriberId"
            params={{ subscriberId }}
            search={{ tab: "inbox" }}
          >
            {words.openInbox}
          </LinkButton>
        )}
      </div>
    </section>
  );
}
