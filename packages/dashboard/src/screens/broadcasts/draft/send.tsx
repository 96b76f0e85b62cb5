// Sends the draft after the people and the time were repeated. Where the environment asks for it, it is approved first.
import { useChange, useOperation } from "../../../api/hooks.ts";
import { useMay } from "../../../api/permissions.ts";
import { useEnvironment } from "../../../api/session.tsx";
import { Button } from "../../../kit/inputs/button.tsx";
import { useConfirm } from "../../../kit/overlays/confirm.tsx";
import { showError, showToast } from "../../../kit/overlays/toast.tsx";
import { timeText } from "../moments.ts";
import { words } from "../words.ts";
import { type Checked, problemsIn } from "./checklist.tsx";
import type { Reach } from "./reach.ts";
import type { DraftEditor } from "./use-broadcast-draft.ts";

const say = words.send;

/** Whether another person approves broadcasts of the chosen environment. */
function useNeedsApproval(): boolean {
  const { _id } = useEnvironment();
  const { data } = useOperation("environments.list", {}, { staleTime: 30_000 });
  return data?.find((one) => one._id === _id)?.broadcastApproval === true;
}

const asSentence = (reason: unknown): string => {
  const text = String(reason);
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
};

type SendProps = { editor: DraftEditor; reach: Reach; checked: Checked };

export function Send({ editor, reach, checked: { check } }: SendProps) {
  const { draft, broadcast, isChanged, isSaving } = editor;
  const may = useMay();
  const needsApproval = useNeedsApproval();
  const { confirm, dialog } = useConfirm();
  const send = useChange("broadcasts.send", ["broadcasts.retrieve", "broadcasts.list"]);
  if (!may("broadcasts.send")) return null;
  const isChecked = check?.status === "completed" && check.isCurrent && !isChanged;
  const problems = isChecked ? problemsIn(check) : 0;
  const { kind } = draft.time;
  const notes = [
    timeText(draft),
    ...(needsApproval ? [say.approvalText] : []),
    ...(isChecked ? [] : [say.notChecked]),
    ...(problems > 0 ? [say.hasProblems(problems)] : []),
  ];
  const run = () =>
    send.mutate(
      { params: { broadcastId: broadcast._id } },
      {
        onError: (error) =>
          error.code === "BROADCAST_INCOMPLETE"
            ? showToast({ title: say.incomplete, description: asSentence(error.context.reason), look: "bad" })
            : showError(error),
        onSuccess: ({ status }) =>
          showToast({
            title: status === "awaiting_approval" ? say.asked : kind === "now" ? say.sent : say.scheduled,
          }),
      },
    );
  const ask = () =>
    confirm(
      {
        title: needsApproval ? say.askTitle(reach.text) : say.title(reach.text),
        text: notes.join(" "),
        label: needsApproval ? say.ask : kind === "now" ? say.now : say.schedule,
        isAlways: true,
      },
      () => editor.withSaved(run),
    );
  return (
    <>
      {dialog}
      <Button look="primary" icon="send" disabled={isSaving || send.isPending} onClick={ask}>
        {needsApproval ? say.ask : say.action}
      </Button>
    </>
  );
}
