// Says when the service does not answer: the last read of any query had no answer at all.
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { ApiError } from "../api/api-error.ts";
import { Icon } from "../icons.tsx";
import { words } from "../words.ts";
import css from "./shell.module.css";

export function OfflineBanner() {
  const client = useQueryClient();
  const [isOffline, setOffline] = useState(false);
  useEffect(
    () =>
      client.getQueryCache().subscribe((event) => {
        if (event.type !== "updated") return;
        const { action } = event;
        if (action.type === "success") setOffline(false);
        if (action.type === "failed" || action.type === "error") {
          const { error } = action as { error: unknown };
          setOffline(error instanceof ApiError && (error.status === 0 || error.status === 502 || error.status === 503));
        }
      }),
    [client],
  );
  return (
    <div role="status">
      {isOffline && (
        <div className={css.offline}>
          <Icon name="alert" size={14} />
          {words.offline}
        </div>
      )}
    </div>
  );
}
