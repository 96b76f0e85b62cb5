// Says when the service does not return, or is slow to. While it does not, the page asks it every few seconds, and
// reads again what failed once it is back.
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useSyncExternalStore } from "react";
import { readSession } from "../api/auth.ts";
import { connectionNow, onConnection } from "../api/connection.ts";
import { Icon } from "../icons.tsx";
import { settleLostToasts } from "../kit/overlays/toast.tsx";
import { words } from "../words.ts";
import css from "./shell.module.css";

const askMs = 4_000;

export function OfflineBanner() {
  const client = useQueryClient();
  const state = useSyncExternalStore(onConnection, connectionNow);
  const isLost = state === "lost";
  useEffect(() => {
    if (!isLost) return;
    let timer: ReturnType<typeof setTimeout>;
    let isOver = false;
    // The next question waits for the response to this one: a frozen service would be asked without end.
    const ask = () => {
      timer = setTimeout(() => void readSession().catch(() => isOver || ask()), askMs);
    };
    ask();
    return () => {
      isOver = true;
      clearTimeout(timer);
      settleLostToasts();
      void client.refetchQueries({ type: "active", predicate: ({ state: { status } }) => status === "error" });
    };
  }, [client, isLost]);
  return (
    <div role="status" className={css.offlineBox} data-shown={state !== "well"}>
      {state !== "well" && (
        <div className={css.offline} data-slow={state === "slow"}>
          <Icon name={isLost ? "alert" : "clock"} size={14} />
          {isLost ? words.offline : words.slow}
        </div>
      )}
    </div>
  );
}
