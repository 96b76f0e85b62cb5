// An import that is read again until it has ended.
import { useQuery } from "@tanstack/react-query";
import type { Import } from "@tidings/contract";
import type { ApiError } from "../../../api/api-error.ts";
import { callOperation } from "../../../api/client.ts";
import { useEnvironment } from "../../../api/session.tsx";

const everyMs = 700;

export function useImport(importId: string | undefined) {
  const { _id } = useEnvironment();
  return useQuery<Import, ApiError>({
    queryKey: [_id, "imports.retrieve", importId],
    queryFn: ({ signal }) => callOperation("imports.retrieve", { params: { importId: importId! }, signal }, _id),
    enabled: importId !== undefined,
    refetchInterval: ({ state: { data } }) => (data?.finishedAt || data?.status === "failed" ? false : everyMs),
  });
}
