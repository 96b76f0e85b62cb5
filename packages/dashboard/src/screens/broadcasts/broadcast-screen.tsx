// One broadcast: the draft until it is sent, then its way and its results.
import { getRouteApi } from "@tanstack/react-router";
import type { BroadcastStatus } from "@tidings/contract";
import { useOperation } from "../../api/hooks.ts";
import { useEnvironment } from "../../api/session.tsx";
import { ErrorPanel, Skeleton } from "../../kit/feedback/states.tsx";
import { Page } from "../../kit/layout/page.tsx";
import { DraftView } from "./draft/draft-view.tsx";
import { RunView } from "./run/run-view.tsx";
import { words } from "./words.ts";

const broadcastRoute = getRouteApi("/shell/broadcasts/$broadcastId");
const back = { to: "/broadcasts", search: {}, label: words.back } as const;

const pollMs: Partial<Record<BroadcastStatus, number>> = {
  draft: 15_000,
  awaiting_approval: 5_000,
  scheduled: 2_000,
  running: 1_000,
  paused: 5_000,
};

export function BroadcastScreen() {
  const { broadcastId } = broadcastRoute.useParams();
  const { _id } = useEnvironment();
  const input = { params: { broadcastId } };
  const first = useOperation("broadcasts.retrieve", input);
  const every = first.data && pollMs[first.data.status];
  // The same response, asked for again while it changes.
  const { data, error, refetch } = useOperation("broadcasts.retrieve", input, { ...(every && { every }) });
  if (data?.status === "draft" || data?.status === "awaiting_approval")
    return <DraftView key={`${_id} ${data._id} ${data.status}`} broadcast={data} />;
  if (data) return <RunView key={`${_id} ${data._id}`} broadcast={data} />;
  return (
    <Page title={words.title} back={back}>
      {error ? <ErrorPanel error={error} onRetry={refetch} /> : <Skeleton rows={8} />}
    </Page>
  );
}
