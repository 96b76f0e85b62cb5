// Tasks of the service that were set aside, with their error, and the button that puts one back into the queue.
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import type { FailedTask } from "@tidings/contract";
import { useChange, useOperation } from "../../api/hooks.ts";
import { useMay } from "../../api/permissions.ts";
import { Code, Json } from "../../kit/data/code.tsx";
import { Pager } from "../../kit/data/table.tsx";
import { Time } from "../../kit/data/time.tsx";
import { EmptyState, ErrorPanel, Skeleton } from "../../kit/feedback/states.tsx";
import { Badge } from "../../kit/feedback/verdict.tsx";
import { Button } from "../../kit/inputs/button.tsx";
import { Disclosure, DisclosureList } from "../../kit/layout/disclosure.tsx";
import { Muted, Stack } from "../../kit/layout/layout.tsx";
import { useConfirm } from "../../kit/overlays/confirm.tsx";
import { showError, showToast } from "../../kit/overlays/toast.tsx";
import { RefusedCall, readCall } from "./refused-call.tsx";
import { words } from "./words.ts";

const deadLettersRoute = getRouteApi("/shell/dead-letters");

const text = words.tasks;
const awaitedMs = 20_000;

export function FailedTasks() {
  const { page = 0 } = deadLettersRoute.useSearch();
  const navigate = useNavigate();
  const { data, error, refetch } = useOperation(
    "failedTasks.list",
    { query: { limit: 20, page } },
    { keep: true, every: 10_000 },
  );
  // A task that fails again appears as a new one.
  const isAwaited = data?.data.some(({ replayedAt }) => replayedAt && Date.now() - Date.parse(replayedAt) < awaitedMs);
  useOperation("failedTasks.list", { query: { limit: 20, page } }, { every: 2_000, enabled: isAwaited ?? false });
  if (error && !data) return <ErrorPanel error={error} onRetry={refetch} />;
  if (!data) return <Skeleton />;
  if (data.data.length === 0) return <EmptyState icon="check" title={text.none} text={text.noneText} />;
  const goTo = (next: number) =>
    void navigate({ to: "/dead-letters", search: (old) => ({ env: old.env, tab: "tasks", page: next || undefined }) });
  return (
    <Stack>
      <Muted>{text.text}</Muted>
      <DisclosureList label={text.list}>
        {data.data.map((task) => (
          <Failed key={task.id} task={task} />
        ))}
      </DisclosureList>
      {(data.hasMore || page > 0) && (
        <Pager
          onPrevious={page > 0 ? () => goTo(page - 1) : undefined}
          onNext={data.hasMore ? () => goTo(page + 1) : undefined}
        />
      )}
    </Stack>
  );
}

function Failed({ task }: { task: FailedTask }) {
  const may = useMay();
  const { confirm, dialog } = useConfirm();
  const replay = useChange("failedTasks.replay", ["failedTasks.list", "system.retrieve"]);
  const { id, kind, error, attempts, status, createdAt, data } = task;
  const isOpen = status === "open";
  const call = readCall(task);
  const send = () =>
    replay.mutate({ params: { id } }, { onError: showError, onSuccess: () => showToast({ title: text.replayed }) });
  return (
    <Disclosure
      title={
        <>
          <strong>{text.kinds[kind] ?? kind}</strong>
          {call?.workflow && ` · ${call.workflow}`}
        </>
      }
      note={error.length > 160 ? `${error.slice(0, 160)} …` : error}
      end={
        <>
          {!isOpen && <Badge tone="good">{text.done}</Badge>}
          <Time at={createdAt} isRelative />
        </>
      }
    >
      {() => (
        <>
          {dialog}
          {call ? <RefusedCall call={call} /> : <Muted>{text.attempts(attempts)}</Muted>}
          <Code text={error} label={words.group.errorText} />
          <Json value={data} label={call ? text.call.data : text.data} />
          {isOpen && may("failedTasks.replay") && (
            <div>
              <Button
                icon="refresh"
                disabled={replay.isPending}
                onClick={() => confirm({ title: text.replay, label: text.replay }, send)}
              >
                {text.replay}
              </Button>
            </div>
          )}
        </>
      )}
    </Disclosure>
  );
}
