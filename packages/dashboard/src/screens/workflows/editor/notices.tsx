// Lines above the editor: production, a restored draft, a newer version, what the service refused.
import { type ReactNode, useState } from "react";
import { Icon, type IconName } from "../../../icons.tsx";
import { Button } from "../../../kit/button.tsx";
import { Dialog } from "../../../kit/dialog.tsx";
import { Time } from "../../../kit/time.tsx";
import { words as kitWords } from "../../../words.ts";
import css from "./editor.module.css";
import type { Editor } from "./use-editor.ts";
import { words } from "./words.ts";

type NoticesProps = { editor: Editor; canEdit: boolean; isLocked: boolean; onUnlock: () => void };

export function Notices({ editor, canEdit, isLocked, onUnlock }: NoticesProps) {
  const { workflow, base, isChanged, restoredAt, isDraftLost, refused } = editor;
  const isOld = isChanged && workflow.versionId !== base.version;
  return (
    <div className={css.notices}>
      {!canEdit && <Notice icon="key">{words.production.role}</Notice>}
      {canEdit && isLocked && <ProductionNotice onUnlock={onUnlock} />}
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
            <Button size="small" onClick={() => editor.save()}>
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

type NoticeProps = { icon: IconName; tone?: "warn" | "bad"; action?: ReactNode; children: ReactNode };

const Notice = ({ icon, tone, action, children }: NoticeProps) => (
  <div className={css.notice} data-tone={tone} role={tone === "bad" ? "alert" : "status"}>
    <Icon name={icon} size={15} />
    <p>{children}</p>
    {action}
  </div>
);

function ProductionNotice({ onUnlock }: { onUnlock: () => void }) {
  const [isAsking, setAsking] = useState(false);
  const say = words.production;
  return (
    <>
      <Notice
        icon="zap"
        tone="warn"
        action={
          <Button size="small" onClick={() => setAsking(true)}>
            {say.edit}
          </Button>
        }
      >
        {say.banner}
      </Notice>
      <Dialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={say.title}
        description={say.text}
        actions={
          <>
            <Button onClick={() => setAsking(false)}>{kitWords.cancel}</Button>
            <Button look="primary" onClick={onUnlock}>
              {say.action}
            </Button>
          </>
        }
      />
    </>
  );
}
