// A broadcast that awaits approval: an owner approves or returns it, and its author can take it back.
import type { Broadcast } from "@tidings/contract";
import { useState } from "react";
import { useChange } from "../../../api/hooks.ts";
import { useMay } from "../../../api/permissions.ts";
import { useSession } from "../../../api/session.tsx";
import { Time } from "../../../kit/data/time.tsx";
import { Notice } from "../../../kit/feedback/notice.tsx";
import { Button } from "../../../kit/inputs/button.tsx";
import { TextArea } from "../../../kit/inputs/field.tsx";
import { Note } from "../../../kit/layout/layout.tsx";
import { FormDialog } from "../../../kit/overlays/form-dialog.tsx";
import { showToast } from "../../../kit/overlays/toast.tsx";
import { useConfirmedChange } from "../../../kit/overlays/use-confirmed-change.ts";
import { timeText } from "../moments.ts";
import { words } from "../words.ts";
import css from "./draft.module.css";
import type { Reach } from "./reach.ts";

const say = words.approval;
const stale = ["broadcasts.retrieve", "broadcasts.list"] as const;

export function ApprovalActions({ broadcast, reach }: { broadcast: Broadcast; reach: Reach }) {
  const { _id: broadcastId, approval, revision } = broadcast;
  const { email } = useSession().person;
  const may = useMay();
  const approve = useConfirmedChange("broadcasts.approve", stale);
  const [isReturning, setReturning] = useState(false);
  const isOwn = approval?.requestedBy === email;
  const mayDecide = may("broadcasts.approve") && !isOwn;
  return (
    <>
      {approve.dialog}
      {isReturning && <ReturnDialog broadcastId={broadcastId} isOwn={isOwn} onClose={() => setReturning(false)} />}
      {(mayDecide || (isOwn && may("broadcasts.reject"))) && (
        <Button icon="undo" onClick={() => setReturning(true)}>
          {isOwn ? say.takeBack : say.return}
        </Button>
      )}
      {mayDecide && (
        <Button
          look="primary"
          icon="check"
          disabled={approve.isPending}
          onClick={() =>
            approve.ask(
              { params: { broadcastId }, body: { revision } },
              {
                title: say.approveTitle(reach.text),
                text: timeText(broadcast),
                label: say.approve,
                isAlways: true,
                done: say.approved,
              },
            )
          }
        >
          {say.approve}
        </Button>
      )}
    </>
  );
}

type ReturnDialogProps = { broadcastId: string; isOwn: boolean; onClose: () => void };

function ReturnDialog({ broadcastId, isOwn, onClose }: ReturnDialogProps) {
  const [note, setNote] = useState("");
  const reject = useChange("broadcasts.reject", stale);
  const submit = () =>
    reject.mutate(
      { params: { broadcastId }, body: note.trim() === "" ? {} : { note: note.trim() } },
      {
        onSuccess: () => {
          showToast({ title: say.returned });
          onClose();
        },
      },
    );
  return (
    <FormDialog
      title={isOwn ? say.takeBackTitle : say.returnTitle}
      description={say.returnText}
      submit={isOwn ? say.takeBack : say.return}
      isDisabled={reject.isPending}
      error={reject.error}
      onSubmit={submit}
      onClose={onClose}
    >
      {!isOwn && (
        <TextArea
          label={say.note}
          rows={4}
          maxLength={1_000}
          value={note}
          onChange={({ target }) => setNote(target.value)}
        />
      )}
    </FormDialog>
  );
}

/** Whether approval was asked for, or the draft was returned with a note. */
export function ApprovalNotice({ broadcast: { status, approval } }: { broadcast: Broadcast }) {
  const { email } = useSession().person;
  const mayApprove = useMay()("broadcasts.approve");
  if (!approval) return null;
  if (status === "awaiting_approval") {
    const isOwn = approval.requestedBy === email;
    return (
      <Notice tone="warn" icon="clock">
        {isOwn ? say.own : say.waiting(approval.requestedBy)} {!isOwn && !mayApprove && say.needsOwner}{" "}
        <Note>
          <Time at={approval.requestedAt} isRelative />
        </Note>
        <p>{say.readOnly}</p>
      </Notice>
    );
  }
  if (status !== "draft" || approval.isApproved !== false || approval.decidedBy === approval.requestedBy) return null;
  return (
    <Notice tone="warn" icon="undo">
      <strong>{say.returnedBy(approval.decidedBy ?? "")}</strong>{" "}
      <Note>{approval.decidedAt && <Time at={approval.decidedAt} isRelative />}</Note>
      {approval.note && <p className={css.note}>{approval.note}</p>}
    </Notice>
  );
}
