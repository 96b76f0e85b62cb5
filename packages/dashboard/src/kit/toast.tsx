// Short messages after an action, at the corner of the page; also from outside of React. Errors stay until they are closed.
import { useEffect, useSyncExternalStore } from "react";
import { toApiError } from "../api/api-error.ts";
import { Icon } from "../icons.tsx";
import { words } from "../words.ts";
import { IconButton } from "./button.tsx";
import { classNames } from "./class-names.ts";
import css from "./toast.module.css";

type ToastText = { title: string; description?: string; look?: "good" | "bad" };
type Toast = ToastText & { id: number };

const shownMs = 6_000;
const most = 4;

let toasts: readonly Toast[] = [];
let nextId = 1;
const listeners = new Set<() => void>();

function setToasts(changed: readonly Toast[]): void {
  toasts = changed;
  for (const listener of listeners) listener();
}

export function showToast(text: ToastText): void {
  setToasts([...toasts, { ...text, id: nextId++ }].slice(-most));
}

/** For `onError` of a change: what happened, and what to do. */
export function showError(error: unknown): void {
  const { message, advice } = toApiError(error);
  showToast({ title: message, description: advice, look: "bad" });
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
  // The region is there before the first message, or screen readers would not announce that one.
  return (
    <div className={css.viewport} role="status">
      {shown.map((toast) => (
        <ToastBox key={toast.id} toast={toast} />
      ))}
    </div>
  );
}

function ToastBox({ toast: { id, title, description, look } }: { toast: Toast }) {
  const isBad = look === "bad";
  useEffect(() => {
    if (isBad) return;
    const timer = setTimeout(() => closeToast(id), shownMs);
    return () => clearTimeout(timer);
  }, [id, isBad]);
  return (
    <div className={classNames(css.toast, isBad && css.bad)}>
      <span className={css.sign}>
        <Icon name={isBad ? "alert" : "check"} />
      </span>
      <div className={css.body}>
        <p className={css.title}>{title}</p>
        {description && <p className={css.description}>{description}</p>}
      </div>
      <IconButton label={words.close} icon="x" size="small" onClick={() => closeToast(id)} />
    </div>
  );
}
