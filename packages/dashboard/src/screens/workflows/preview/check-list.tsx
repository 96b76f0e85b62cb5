// Next to the preview: what to correct in the mail, and the problems of other steps.
import type { Workflow } from "@tidings/contract";
import { Verdict } from "../../../kit/feedback/verdict.tsx";
import { problemsOf } from "../editor/issues.ts";
import { type Check, checkTones } from "./checks.ts";
import css from "./preview.module.css";
import { words } from "./words.ts";

type CheckListProps = {
  checks: readonly Check[];
  workflow: Workflow;
  /** Its problems are shown at its fields. */
  stepId: string;
  onSelect: (stepId: string) => void;
};

export function CheckList({ checks, workflow, stepId, onSelect }: CheckListProps) {
  const elsewhere = problemsOf(workflow).filter((problem) => problem.stepId !== stepId);
  if (checks.length === 0 && elsewhere.length === 0) return null;
  return (
    <section className={css.checks} aria-label={words.checks}>
      <h3>{words.checks}</h3>
      <ul>
        {checks.map(({ code, severity, message }) => (
          <li key={`${code} ${message}`}>
            <Verdict tone={checkTones[severity]} size={14} />
            <span>
              <span className="visually-hidden">{words.severities[severity]}: </span>
              {message}
            </span>
          </li>
        ))}
        {elsewhere.map((problem) => (
          <li key={`${problem.stepId} ${problem.path} ${problem.text}`}>
            <Verdict tone="bad" size={14} />
            <button type="button" className={css.problem} onClick={() => onSelect(problem.stepId)}>
              {problem.text}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
