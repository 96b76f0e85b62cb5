// What members say to each other about a step.
import type { StepComment } from "@tidings/contract";
import { useState } from "react";
import { useChange, useOperation } from "../../../api/hooks.ts";
import { useMay } from "../../../api/permissions.ts";
import { Time } from "../../../kit/data/time.tsx";
import { ErrorPanel } from "../../../kit/feedback/states.tsx";
import { Button, IconButton } from "../../../kit/inputs/button.tsx";
import { TextArea } from "../../../kit/inputs/field.tsx";
import { showError } from "../../../kit/overlays/toast.tsx";
import css from "./team.module.css";
import { words } from "./words.ts";

const say = words.comments;

type StepCommentsProps = { workflowId: string; stepId: string };

export function StepComments({ workflowId, stepId }: StepCommentsProps) {
  const params = { workflowId };
  const { data, error } = useOperation("comments.list", { params }, { staleTime: 30_000 });
  const create = useChange("comments.create", ["comments.list"]);
  const mayWrite = useMay()("comments.create");
  const [text, setText] = useState("");
  // Open where there is something to read, until it is opened or closed by hand.
  const [isShown, setShown] = useState<boolean | null>(null);
  const comments = (data?.data ?? []).filter((comment) => comment.stepId === stepId);
  const open = comments.filter(({ resolvedAt }) => !resolvedAt);
  const add = () =>
    create.mutate(
      { params, body: { stepId, text: text.trim() } },
      { onSuccess: () => setText(""), onError: showError },
    );
  return (
    <details
      className={css.comments}
      open={isShown ?? open.length > 0}
      onToggle={({ currentTarget }) => setShown(currentTarget.open)}
    >
      <summary>{open.length > 0 ? say.count(open.length) : say.title}</summary>
      {error && <ErrorPanel error={error} />}
      {comments.length > 0 && (
        <ul aria-label={say.title}>
          {comments.map((comment) => (
            <Comment key={comment.id} workflowId={workflowId} comment={comment} mayWrite={mayWrite} />
          ))}
        </ul>
      )}
      {mayWrite && (
        <div className={css.add}>
          <TextArea
            label={say.add}
            rows={2}
            value={text}
            maxLength={2_000}
            onChange={({ target }) => setText(target.value)}
          />
          <Button size="small" disabled={text.trim() === "" || create.isPending} onClick={add}>
            {say.addAction}
          </Button>
        </div>
      )}
    </details>
  );
}

type CommentProps = { workflowId: string; comment: StepComment; mayWrite: boolean };

function Comment({ workflowId, comment, mayWrite }: CommentProps) {
  const params = { workflowId, commentId: comment.id };
  const update = useChange("comments.update", ["comments.list"]);
  const remove = useChange("comments.delete", ["comments.list"]);
  const isResolved = comment.resolvedAt !== undefined;
  return (
    <li className={css.comment} data-resolved={isResolved}>
      <p className={css.byline}>
        <strong>{comment.author}</strong> <Time at={comment.createdAt} isRelative />
        {isResolved && <span>{say.resolvedBy(comment.resolvedBy ?? "")}</span>}
      </p>
      <p className={css.text}>{comment.text}</p>
      {mayWrite && (
        <div className={css.tools}>
          <Button
            size="small"
            look="plain"
            icon={isResolved ? "undo" : "check"}
            onClick={() => update.mutate({ params, body: { isResolved: !isResolved } }, { onError: showError })}
          >
            {isResolved ? say.reopen : say.resolve}
          </Button>
          <IconButton
            label={say.remove}
            icon="trash"
            size="small"
            onClick={() => remove.mutate({ params }, { onError: showError })}
          />
        </div>
      )}
    </li>
  );
}
