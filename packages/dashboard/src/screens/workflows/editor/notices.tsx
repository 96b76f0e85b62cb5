// Lines above the editor: production, a restored draft, a newer version, what the service refused.

import { Time } from "../../../kit/data/time.tsx";
import { Notice } from "../../../kit/feedback/notice.tsx";
import { Button } from "../../../kit/inputs/button.tsx";
import { useConfirm } from "../../../kit/overlays/confirm.tsx";
import css from "./editor.module.css";
import type { Editor } from "./use-editor.ts";
import { words } from "./words.ts";

type NoticesProps = { editor: Editor; canEdit: boolean; isLocked: boolean; onUnlock: () => void };

export function Notices({ editor, canEdit, isLocked, onUnlock }: NoticesProps) {
  const { workflow, base, isChanged, restoredAt, isDraftLost, refused } = editor;
  const isOld = isChanged && workflow.versionId !== base.version;
  return (
    <div className={css.notices} role="status">
      {!canEdit && <Notice icon="key">{words.production.role}</Notice>}
      {canEdit && isLocked && <ProductionNotice onUnlock={onUnlock} />}
      {canEdit && !isLocked && workflow.active && workflow.steps.length === 0 && (
        <Notice icon="zap">{words.goesLive}</Notice>
      )}
      {refused.map((message) => (
        <Notice key={message} icon="alert" tone="bad">
          {message}
        </Notice>
      ))}
      {restoredAt && (
        <Notice icon="refresh">
          {words.restored} <Time at={restoredAt} isRelative />.
        </Notice>
      )}
      {isDraftLost && (
        <Notice icon="alert" tone="warn">
          {words.draftLost}
        </Notice>
      )}
      {isOld && (
        <Notice
          icon="users"
          tone="warn"
          action={
            <Button size="small" onClick={editor.compare}>
              {words.compare}
            </Button>
          }
        >
          {words.newer}
        </Notice>
      )}
    </div>
  );
}

function ProductionNotice({ onUnlock }: { onUnlock: () => void }) {
  const { confirm, dialog } = useConfirm();
  const say = words.production;
  const ask = () => confirm({ title: say.title, text: say.text, label: say.action, isAlways: true }, onUnlock);
  return (
    <>
      <Notice
        icon="zap"
        tone="warn"
        action={
          <Button size="small" onClick={ask}>
            {say.edit}
          </Button>
        }
      >
        {say.banner}
      </Notice>
      {dialog}
    </>
  );
}
