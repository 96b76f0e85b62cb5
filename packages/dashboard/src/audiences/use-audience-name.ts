// The name of an audience that may be missing in the list that was read.
import type { Audience } from "@tidings/contract";
import { useOperation } from "../api/hooks.ts";

/** Until it is read, and for one that was deleted, its id. `listed`: undefined until the list is read. */
export function useAudienceName(audienceId: string, listed: readonly Audience[] | undefined): string {
  const known = listed?.find((one) => one.audienceId === audienceId);
  const isMissing = listed !== undefined && !known && audienceId !== "";
  const params = { audienceId };
  const { data } = useOperation("audiences.retrieve", { params }, { enabled: isMissing, staleTime: 60_000 });
  return known?.name ?? data?.name ?? audienceId;
}
