// Templates that would fail with the change, each with the way to its step.
import type { BacktestReport } from "@tidings/contract";
import { LinkButton } from "../kit/inputs/button.tsx";
import { Muted } from "../kit/layout/layout.tsx";
import css from "./backtests.module.css";
import { words } from "./words.ts";

const say = words.report;

export const RenderFaults = ({ of }: { of: BacktestReport["renderFaults"] }) => (
  <section className={css.section}>
    <h2>{say.faults}</h2>
    <Muted>{say.faultsText}</Muted>
    <ul className={css.faults}>
      {of.map(({ workflowId, stepId, reason, messages }) => (
        <li key={`${workflowId} ${stepId} ${reason}`}>
          <strong>{say.messages(messages)}</strong>
          <span className={css.breaking}>
            {workflowId} · {stepId}: {reason}
          </span>
          <LinkButton
            size="small"
            to="/workflows/$workflowId"
            params={{ workflowId }}
            search={(before: object) => ({ ...before, tab: undefined, step: stepId })}
          >
            {say.openStep(stepId)}
          </LinkButton>
        </li>
      ))}
    </ul>
  </section>
);
