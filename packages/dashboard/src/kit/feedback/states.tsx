// What a screen shows instead of its data: nothing yet, an error, or a wait.
import type { ReactNode } from "react";
import { toApiError } from "../../api/api-error.ts";
import { Icon, type IconName } from "../../icons.tsx";
import { words } from "../../words.ts";
import { classNames } from "../class-names.ts";
import { Code } from "../data/code.tsx";
import { Button } from "../inputs/button.tsx";
import css from "./states.module.css";

type EmptyStateProps = {
  icon?: IconName;
  title: string;
  text: ReactNode;
  /** A button that leads on … */
  action?: ReactNode;
  /** … or a command to copy. */
  command?: string;
  isBad?: boolean;
};

export const EmptyState = ({ icon = "search", title, text, action, command, isBad }: EmptyStateProps) => (
  <div className={css.empty}>
    <span className={classNames(css.icon, isBad && css.bad)}>
      <Icon name={icon} size={20} />
    </span>
    <h2>{title}</h2>
    <p>{text}</p>
    {action && <div className={css.action}>{action}</div>}
    {command && (
      <div className={css.command}>
        <Code text={command} label={title} />
      </div>
    )}
  </div>
);

/** What happened, and what to do about it. */
export function ErrorPanel({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const { message, advice } = toApiError(error);
  return (
    <div className={css.error} role="alert">
      <Icon name="alert" />
      <div className={css.errorBody}>
        <strong>{message}</strong>
        {advice && <p>{advice}</p>}
      </div>
      {onRetry && (
        <Button size="small" onClick={onRetry}>
          {words.retry}
        </Button>
      )}
    </div>
  );
}

const widths = ["62%", "84%", "48%", "74%", "56%", "80%", "66%", "40%"];

/** Grey bars of text length; `rows` of them. */
export const Skeleton = ({ rows = 6 }: { rows?: number }) => (
  <div role="status">
    <span className="visually-hidden">{words.loading}</span>
    <div className={css.bars} aria-hidden="true">
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: bars have no identity
        <div key={row} className={css.bar} style={{ width: widths[row % widths.length] }} />
      ))}
    </div>
  </div>
);
