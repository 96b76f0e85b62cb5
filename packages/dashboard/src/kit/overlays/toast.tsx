// Short messages after an action, in the corner of the page; code outside of React can show them too. Errors stay until
// they are closed, or until a later message on the same subject replaces them.
import { useEffect, useSyncExternalStore } from "react";
import { isTimeout, toApiError } from "../../api/api-error.ts";
import { Icon, type IconName } from "../../icons.tsx";
import { words } from "../../words.ts";
import { classNames } from "../class-names.ts";
import { Button, IconButton } from "../inputs/button.tsx";
import css from "./toast.module.css";

type ToastAction = { label: string; run: () => void };
type ToastText = {
  title: string;
  description?: string;
  look?: "good" | "warn" | "bad";
  action?: ToastAction;
  /** A message replaces the one on the same subject: "Saved" never appears next to "Not saved". */
  subject?: string;
  /** The service did not respond: the message disappears once it responds again. */
  isLost?: boolean;
};
type Toast = ToastText & { id: number };

const shownMs = 6_000;
/** One that asks for something is read and reached by then. */
const shownWithActionMs = 20_000;
const most = 4;

let toasts: readonly Toast[] = [];
let nextId = 1;
const listeners = new Set<() => void>();

function setToasts(changed: readonly Toast[]): void {
  toasts = changed;
  for (const listener of listeners) listener();
}

const otherThan = (subject: string | undefined): readonly Toast[] =>
  subject === undefined ? toasts : toasts.filter((toast) => toast.subject !== subject);

export function showToast(text: ToastText): void {
  setToasts([...otherThan(text.subject), { ...text, id: nextId++ }].slice(-most));
}

/** For `onError` of a change: what happened, and what to do. */
export function showError(error: unknown): void {
  const { message, advice, status } = toApiError(error);
  showToast({ title: message, description: advice, look: "bad", isLost: status === 0 });
}

const saveSubject = "save";

/** A save is in progress: what was said about the last one is old. */
export const beginSave = (): void => setToasts(otherThan(saveSubject));

/** `problems`: of what was saved, as sentences. `action` leads to the first of them. */
export function showSaved(title: string, problems: readonly string[] = [], action?: ToastAction): void {
  const [first] = problems;
  showToast({
    subject: saveSubject,
    ...(first === undefined
      ? { title, look: "good" }
      : { title: words.savedWith(problems.length), description: first, look: "warn", action }),
  });
}

/** A save that the page itself refuses. */
export const showRefused = (description: string): void =>
  showToast({ title: words.errors.refused, description, look: "bad", subject: saveSubject });

/** A save that was refused, or that got no response; the draft is kept either way. */
export function showNotSaved(error: unknown, again: () => void, reason?: string): void {
  const problem = toApiError(error);
  const isLost = problem.status === 0;
  const lost = isTimeout(problem) ? words.errors.unknownSave : words.errors.kept;
  showToast({
    title: isLost ? words.errors.notSaved : words.errors.refused,
    description: isLost ? lost : (reason ?? `${problem.message}. ${problem.advice}`.replace("..", ".")),
    look: "bad",
    isLost,
    ...(isLost && { action: { label: words.retry, run: again } }),
    subject: saveSubject,
  });
}

/** The service responds again: messages about lost calls are outdated, unless something is still to be done. */
export function settleLostToasts(): void {
  setToasts(
    toasts.flatMap((toast): Toast[] => {
      if (!toast.isLost) return [toast];
      if (!toast.action) return [];
      const { backTitle: title, backText: description } = words.errors;
      return [{ ...toast, title, description, look: "warn", isLost: false }];
    }),
  );
}

const closeToast = (id: number): void => setToasts(toasts.filter((toast) => toast.id !== id));

export function Toasts() {
  const shown = useSyncExternalStore(
    (onChange) => {
      listeners.add(onChange);
      return () => listeners.delete(onChange);
    },
    () => toasts,
  );
  const isBad = ({ look }: Toast) => look === "bad";
  const draw = (toast: Toast) => <ToastBox key={toast.id} toast={toast} />;
  // The polite live region exists before the first message, or screen readers would not announce that one. An alert is
  // announced when it appears.
  return (
    <div className={css.viewport}>
      <div className={css.region}>{shown.filter(isBad).map(draw)}</div>
      <div className={css.region} role="status">
        {shown.filter((toast) => !isBad(toast)).map(draw)}
      </div>
    </div>
  );
}

const icons = { good: "check", warn: "alert", bad: "alert" } as const satisfies Record<string, IconName>;

function ToastBox({ toast: { id, title, description, look = "good", action } }: { toast: Toast }) {
  const ms = look === "bad" ? null : action ? shownWithActionMs : shownMs;
  useEffect(() => {
    if (ms === null) return;
    const timer = setTimeout(() => closeToast(id), ms);
    return () => clearTimeout(timer);
  }, [id, ms]);
  return (
    <div className={classNames(css.toast, css[look])} role={look === "bad" ? "alert" : undefined}>
      <span className={css.sign}>
        <Icon name={icons[look]} />
      </span>
      <div className={css.body}>
        <p className={css.title}>{title}</p>
        {description && <p className={css.description}>{description}</p>}
        {action && (
          <span className={css.action}>
            <Button
              size="small"
              onClick={() => {
                closeToast(id);
                action.run();
              }}
            >
              {action.label}
            </Button>
          </span>
        )}
      </div>
      <IconButton label={words.close} icon="x" size="small" onClick={() => closeToast(id)} />
    </div>
  );
}
