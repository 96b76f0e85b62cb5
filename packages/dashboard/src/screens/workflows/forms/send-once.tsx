// Sends the request of a step once, for real, and shows the response.
import { useState } from "react";
import { useChange } from "../../../api/hooks.ts";
import { useMay } from "../../../api/permissions.ts";
import { Json } from "../../../kit/data/code.tsx";
import { Notice } from "../../../kit/feedback/notice.tsx";
import { Button } from "../../../kit/inputs/button.tsx";
import { useConfirm } from "../../../kit/overlays/confirm.tsx";
import { unsavedId } from "../editor/model.ts";
import css from "./forms.module.css";
import type { OwnFormProps } from "./props.ts";
import { words } from "./words.ts";

const say = words.send;

type SendOnceProps = Pick<OwnFormProps, "editor" | "step" | "names" | "payload" | "subscriberId"> & {
  onSample: (sample: { status: number; body: unknown }) => void;
};

export function SendOnce({ editor, step, names, payload, subscriberId, onSample }: SendOnceProps) {
  const send = useChange("workflows.sendRequest", []);
  const may = useMay();
  const { confirm, dialog } = useConfirm();
  const [isTaken, setTaken] = useState(false);
  if (!may("workflows.sendRequest") || editor.workflow._id === unsavedId) return null;
  const { request, response, error } = send.data?.data ?? {};
  const ask = () =>
    confirm({ title: say.title, text: say.text, label: say.action }, () => {
      setTaken(false);
      send.mutate({
        params: { workflowId: editor.workflow._id, stepId: step.stepId },
        body: {
          controlValues: step.controlValues,
          ...(subscriberId !== undefined && { subscriberId }),
          payload: payload ?? {},
          steps: names.scope.steps as Record<string, unknown>,
        },
      });
    });
  return (
    <section className={css.sent} aria-label={say.region}>
      {dialog}
      <div className={css.buttons}>
        <Button size="small" icon="play" disabled={send.isPending || !step.controlValues.url} onClick={ask}>
          {send.isPending ? say.sending : say.action}
        </Button>
        <span className={css.weak}>{say.hint}</span>
      </div>
      {(send.error ?? error) && <Notice tone="bad">{send.error?.message ?? error}</Notice>}
      {request && (
        <p className={css.weak}>
          {request.method} {request.url}
        </p>
      )}
      {response && (
        <>
          <p role="status">{say.answered(response.status, response.durationMs)}</p>
          <Json value={response.body} label={say.body} />
          <details>
            <summary>{say.headers}</summary>
            <Json value={response.headers} label={say.headers} />
          </details>
          {!editor.isReadOnly && (
            <div>
              <Button
                size="small"
                disabled={isTaken}
                onClick={() => {
                  onSample({ status: response.status, body: response.body });
                  setTaken(true);
                }}
              >
                {isTaken ? say.taken : say.take}
              </Button>
            </div>
          )}
        </>
      )}
    </section>
  );
}
