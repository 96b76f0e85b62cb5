// The saved workflow in the cache of responses: a save or a restore replaces it at once.
import { useQueryClient } from "@tanstack/react-query";
import type { Workflow } from "@tidings/contract";
import { useCallback, useRef } from "react";
import { useEnvironment } from "../../../api/session.tsx";

export function useSavedWorkflow(workflow: Workflow) {
  const { _id: environmentId } = useEnvironment();
  const client = useQueryClient();
  /** Versions that were replaced here: a response with one of them is late, and changes nothing. */
  const replaced = useRef(new Set<string | undefined>());
  const known = useRef(workflow);
  known.current = workflow;
  const put = useCallback(
    (next: Workflow) => {
      if (known.current.versionId !== next.versionId) replaced.current.add(known.current.versionId);
      const queryKey = [environmentId, "workflows.retrieve"];
      void client.cancelQueries({ queryKey }, { revert: false, silent: true });
      client.setQueriesData<Workflow>({ queryKey }, (old) => (old?._id === next._id ? next : old));
    },
    [client, environmentId],
  );
  const isReplaced = useCallback((version: string | undefined) => replaced.current.has(version), []);
  return { put, isReplaced };
}
