// The versions of a workflow: what each save changed, compared with the current one or the one before, and restored.
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import type { VersionHead } from "@tidings/contract";
import { useState } from "react";
import type { ApiError } from "../../../api/api-error.ts";
import { callOperation } from "../../../api/client.ts";
import { useChange, useOperation } from "../../../api/hooks.ts";
import { useEnvironment } from "../../../api/session.tsx";
import { ChangeList } from "../../../drafts/change-list.tsx";
import { Time } from "../../../kit/data/time.tsx";
import { EmptyState, ErrorPanel, Skeleton } from "../../../kit/feedback/states.tsx";
import { Badge } from "../../../kit/feedback/verdict.tsx";
import { Button } from "../../../kit/inputs/button.tsx";
import { Select } from "../../../kit/inputs/select.tsx";
import { useConfirm } from "../../../kit/overlays/confirm.tsx";
import { showError, showToast } from "../../../kit/overlays/toast.tsx";
import { draftOf } from "../editor/model.ts";
import type { Editor } from "../editor/use-editor.ts";
import css from "./versions.module.css";
import { words } from "./words.ts";

const pageSize = 30;

type VersionsTabProps = { editor: Editor; chosen: string | undefined; onChoose: (version: string) => void };

export function VersionsTab({ editor, chosen, onChoose }: VersionsTabProps) {
  const { versions, error, isPending, hasMore, loadMore, retry } = useVersions(editor.workflow._id);
  if (error) return <ErrorPanel error={error} onRetry={retry} />;
  if (isPending) return <Skeleton />;
  const current = versions.find(({ isCurrent }) => isCurrent) ?? versions[0];
  const shown = versions.find(({ id, number }) => id === chosen || String(number) === chosen) ?? versions[0];
  if (!shown || !current) return <EmptyState icon="layers" title={words.title} text={words.one} />;
  return (
    <div className={css.columns}>
      <div className={css.side}>
        <p className={css.weak}>{words.lead}</p>
        <ol className={css.list} aria-label={words.list}>
          {versions.map((version) => (
            <li key={version.id}>
              <button
                type="button"
                className={css.version}
                aria-current={version.id === shown.id ? "true" : undefined}
                onClick={() => onChoose(String(version.number))}
              >
                <span className={css.versionHead}>
                  <strong>{words.number(version.number)}</strong>
                  {version.isCurrent && <Badge tone="accent">{words.current}</Badge>}
                </span>
                <span className={css.summary}>{version.summary || words.firstSave}</span>
                <span className={css.weak}>
                  <Time at={version.createdAt} isRelative />
                  {version.createdBy?.name && ` · ${version.createdBy.name}`}
                </span>
              </button>
            </li>
          ))}
        </ol>
        {hasMore && (
          <Button size="small" onClick={loadMore}>
            {words.more}
          </Button>
        )}
      </div>
      <Comparison key={shown.id} editor={editor} shown={shown} current={current} />
    </div>
  );
}

type Against = "current" | "before";

function Comparison({ editor, shown, current }: { editor: Editor; shown: VersionHead; current: VersionHead }) {
  const [against, setAgainst] = useState<Against>(shown.isCurrent ? "before" : "current");
  // Compares towards the version whose restore button is shown: what is added here is what restoring brings back.
  const [from, to] = against === "current" ? [current.number, shown.number] : [shown.number - 1, shown.number];
  const title = against === "current" ? words.restoring(shown.number) : words.compare(from, to);
  const { data, error, refetch } = useOperation(
    "workflows.diffVersions",
    { params: { workflowId: editor.workflow._id, fromVersionId: String(from), toVersionId: String(to) } },
    { enabled: from >= 1, staleTime: 600_000 },
  );
  return (
    <section className={css.comparison} aria-label={title}>
      <div className={css.bar}>
        {(from >= 1 || !shown.isCurrent) && (
          <Select
            name={words.against}
            value={against}
            choices={[
              ...(shown.isCurrent ? [] : [{ value: "current" as const, label: words.againstCurrent }]),
              { value: "before" as const, label: words.againstBefore },
            ]}
            onChange={setAgainst}
          />
        )}
        {!shown.isCurrent && !editor.isReadOnly && <RestoreButton editor={editor} version={shown} />}
      </div>
      {from < 1 ? (
        <p className={css.weak}>{words.one}</p>
      ) : (
        <>
          <h2>{title}</h2>
          {error && <ErrorPanel error={error} onRetry={refetch} />}
          {!data && !error && <Skeleton rows={4} />}
          {data && <ChangeList differences={data} />}
        </>
      )}
    </section>
  );
}

function RestoreButton({ editor, version: { id, number } }: { editor: Editor; version: VersionHead }) {
  const { confirm, dialog } = useConfirm();
  const restore = useChange("workflows.restoreVersion", ["workflows.list", "workflows.listVersions"]);
  // A promise, not the callbacks of `mutate`: those are dropped when another tab is opened meanwhile.
  const run = () =>
    restore.mutateAsync({ params: { workflowId: editor.workflow._id, versionId: id } }).then((workflow) => {
      editor.rebase(workflow, draftOf(workflow));
      showToast({ title: words.restored(number) });
    }, showError);
  const ask = () =>
    confirm(
      {
        title: words.restoreTitle(number),
        text: editor.isChanged ? `${words.restoreText} ${words.restoreUnsaved}` : words.restoreText,
        label: words.restoreAction,
        isAlways: true,
      },
      () => void run(),
    );
  return (
    <>
      <Button size="small" icon="undo" onClick={ask} disabled={restore.isPending}>
        {words.restore}
      </Button>
      {dialog}
    </>
  );
}

function useVersions(workflowId: string) {
  const { _id: environmentId } = useEnvironment();
  const query = useInfiniteQuery({
    queryKey: [environmentId, "workflows.listVersions", workflowId],
    queryFn: ({ pageParam, signal }) =>
      callOperation(
        "workflows.listVersions",
        { params: { workflowId }, query: { limit: pageSize, ...(pageParam !== "" && { after: pageParam }) }, signal },
        environmentId,
      ),
    initialPageParam: "",
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
  });
  return {
    versions: query.data?.pages.flatMap(({ data }) => data) ?? [],
    error: query.error as ApiError | null,
    isPending: query.isPending,
    hasMore: query.hasNextPage,
    loadMore: () => void query.fetchNextPage(),
    retry: () => void query.refetch(),
  };
}
