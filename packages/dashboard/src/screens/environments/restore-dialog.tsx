// What rolling back a publish would do. Resources that were changed since are named, and have to be confirmed.
import { useState } from "react";
import type { Environment } from "../../api/auth.ts";
import { useChange, useOperation } from "../../api/hooks.ts";
import { Time } from "../../kit/data/time.tsx";
import { Notice } from "../../kit/feedback/notice.tsx";
import { ErrorPanel, Skeleton } from "../../kit/feedback/states.tsx";
import { Badge } from "../../kit/feedback/verdict.tsx";
import { Button } from "../../kit/inputs/button.tsx";
import { Checkbox } from "../../kit/inputs/field.tsx";
import { Stack } from "../../kit/layout/layout.tsx";
import { Dialog } from "../../kit/overlays/dialog.tsx";
import { showToast } from "../../kit/overlays/toast.tsx";
import { words as kitWords } from "../../words.ts";
import css from "./environments.module.css";
import { words } from "./words.ts";

const text = words.history;

type RestoreDialogProps = { publishId: string; target: Environment; onClose: () => void };

export function RestoreDialog({ publishId, target, onClose }: RestoreDialogProps) {
  const params = { environmentId: target._id, publishId };
  const plan = useOperation("environments.planRestore", { params }, { environmentId: target._id, staleTime: 0 });
  const [isAgreed, setAgreed] = useState(false);
  const restore = useChange(
    "environments.restorePublish",
    ["environments.listPublishes", "environments.retrievePublish", "environments.diff", "workflows.list"],
    target._id,
  );
  const conflicts = plan.data?.resources.filter(({ changedSince }) => changedSince !== null) ?? [];
  const run = () =>
    restore.mutate(
      { params, body: { overwriteChanges: isAgreed } },
      {
        onSuccess: () => {
          showToast({ title: text.done });
          onClose();
        },
        // Another change may have come in between: the plan is read again.
        onError: () => void plan.refetch(),
      },
    );
  const error = restore.error ?? plan.error;
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={text.restoreTitle}
      description={[text.restoreText, target.type === "prod" && kitWords.confirm.production(target.name)]
        .filter(Boolean)
        .join(" ")}
      actions={
        <>
          <Button onClick={onClose}>{kitWords.cancel}</Button>
          <Button
            look="dangerPrimary"
            onClick={run}
            disabled={!plan.data || restore.isPending || (conflicts.length > 0 && !isAgreed)}
          >
            {text.confirm}
          </Button>
        </>
      }
    >
      <Stack>
        {error && <ErrorPanel error={error} />}
        {!plan.data && !error && <Skeleton rows={3} />}
        <ul className={css.plan}>
          {plan.data?.resources.map(({ resourceType, resourceId, resourceName, action, reason, changedSince }) => (
            <li key={`${resourceType} ${resourceId}`}>
              <strong>{resourceName}</strong> {text.outcomes[action]}
              {reason && <span className={css.weak}> ({reason})</span>}
              {changedSince && (
                <span className={css.since}>
                  <Badge tone="warn">{text.changedSince}</Badge>
                  <span className={css.weak}>
                    {changedSince.by && text.changedBy(changedSince.by)}{" "}
                    {changedSince.at && <Time at={changedSince.at} isRelative />}
                  </span>
                </span>
              )}
            </li>
          ))}
        </ul>
        {conflicts.length > 0 && (
          <Stack isSmall>
            <Notice tone="warn">{text.conflicts(conflicts.length)}</Notice>
            <Checkbox
              label={text.overwrite}
              checked={isAgreed}
              onChange={({ target: box }) => setAgreed(box.checked)}
            />
          </Stack>
        )}
      </Stack>
    </Dialog>
  );
}
