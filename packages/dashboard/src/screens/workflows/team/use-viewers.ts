// Who else has this workflow open: the tab gives a sign every few seconds, and learns of the others.
import type { Output } from "@tidings/contract";
import { useEffect, useRef, useState } from "react";
import { callOperation } from "../../../api/client.ts";
import { connectionNow } from "../../../api/connection.ts";
import { useEnvironment } from "../../../api/session.tsx";

export type Viewer = Output<"workflows.announceViewer">["data"][number];

const everyMs = 15_000;

export function useViewers(workflowId: string, isEditing: boolean): readonly Viewer[] {
  const { _id: environmentId } = useEnvironment();
  const [viewers, setViewers] = useState<readonly Viewer[]>([]);
  const [tabId] = useState(() => Math.random().toString(36).slice(2));
  const editing = useRef(isEditing);
  editing.current = isEditing;
  useEffect(() => {
    let isOpen = true;
    const announce = (isLeaving: boolean) =>
      callOperation(
        "workflows.announceViewer",
        { params: { workflowId }, body: { tabId, isEditing: editing.current, isLeaving } },
        environmentId,
      ).then(
        ({ data }) => isOpen && setViewers(data),
        // Not worth a message.
        () => isOpen && setViewers([]),
      );
    // Not while the service is slow or away: what else waits for it decides what the page says about that.
    const sign = () => {
      if (document.visibilityState === "visible" && connectionNow() === "well") void announce(false);
    };
    sign();
    const timer = setInterval(sign, everyMs);
    document.addEventListener("visibilitychange", sign);
    return () => {
      isOpen = false;
      clearInterval(timer);
      document.removeEventListener("visibilitychange", sign);
      if (connectionNow() === "well") void announce(true);
    };
  }, [environmentId, workflowId, tabId]);
  return viewers;
}
