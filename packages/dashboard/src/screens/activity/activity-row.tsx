// One event in the list: how it went, in one sentence.
import { Link } from "@tanstack/react-router";
import { memo } from "react";
import { Icon } from "../../icons.tsx";
import { Sentence, Time } from "../../kit/data/time.tsx";
import { Verdict } from "../../kit/feedback/verdict.tsx";
import { outcomeNames } from "../../outcomes/outcome-names.ts";
import { outcomeTones, stepIcons } from "../../outcomes/tones.ts";
import css from "./activity.module.css";
import type { ActivityRow as Row } from "./rows.ts";
import { words } from "./words.ts";

/** `isStop`: the Tab key stops here. */
type ActivityRowProps = { row: Row; index: number; isStop: boolean };

/** Most rows are the same ones after the list was read again. */
export const ActivityRow = memo(function ActivityRow({ row, index, isStop }: ActivityRowProps) {
  const { transactionId, outcome, verdict, label } = row;
  return (
    <Link
      to="/activity/$transactionId"
      params={{ transactionId }}
      preload={false}
      className={css.row}
      data-row={index}
      tabIndex={isStop ? 0 : -1}
    >
      <span className={css.sign}>
        <Verdict tone={outcomeTones[outcome]} size={15} />
        <span className="visually-hidden">{outcomeNames[outcome]}</span>
      </span>
      <span className={css.what} data-labelled={label !== undefined}>
        <span className={css.name} title={row.workflowName}>
          {row.workflowName}
        </span>
        {label !== undefined && (
          <span className={css.label} title={label}>
            {label}
          </span>
        )}
      </span>
      <span className={css.verdict} data-outcome={outcome} title={verdict}>
        <Sentence text={verdict} />
      </span>
      <span className={css.channels}>
        {[...new Set(row.channels)].map((type) => (
          <Icon key={type} name={stepIcons[type]} size={14} />
        ))}
      </span>
      <span className={css.subscriber}>{row.subscriber?.name ?? words.recipients(row.recipients, row.isCapped)}</span>
      <span className={css.time}>
        <Time at={row.time} isRelative />
      </span>
    </Link>
  );
});
