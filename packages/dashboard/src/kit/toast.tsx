// Short messages after an action, at the corner of the page; also from outside of React.
import { Toast } from "@base-ui/react/toast";
import { toApiError } from "../api/api-error.ts";
import { Icon } from "../icons.tsx";
import { words } from "../words.ts";
import { IconButton } from "./button.tsx";
import { classNames } from "./class-names.ts";
import css from "./toast.module.css";

const manager = Toast.createToastManager<{ look: "good" | "bad" }>();

type ToastText = { title: string; description?: string; look?: "good" | "bad" };

export function showToast({ title, description, look = "good" }: ToastText): void {
  manager.add({ title, description, data: { look }, priority: look === "bad" ? "high" : "low" });
}

/** For `onError` of a change: what happened, and what to do. */
export function showError(error: unknown): void {
  const { message, advice } = toApiError(error);
  showToast({ title: message, description: advice, look: "bad" });
}

export const Toasts = () => (
  <Toast.Provider toastManager={manager} timeout={6_000}>
    <Toast.Portal>
      <Toast.Viewport className={css.viewport}>
        <ToastList />
      </Toast.Viewport>
    </Toast.Portal>
  </Toast.Provider>
);

function ToastList() {
  const { toasts } = Toast.useToastManager<{ look: "good" | "bad" }>();
  return toasts.map((toast) => (
    <Toast.Root key={toast.id} toast={toast} className={classNames(css.toast, toast.data?.look === "bad" && css.bad)}>
      <span className={css.sign}>
        <Icon name={toast.data?.look === "bad" ? "alert" : "check"} />
      </span>
      <div className={css.body}>
        <Toast.Title className={css.title} render={<p />} />
        <Toast.Description className={css.description} />
      </div>
      <Toast.Close render={<IconButton label={words.close} icon="x" size="small" />} />
    </Toast.Root>
  ));
}
