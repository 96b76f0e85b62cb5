// The layout editor: content on the left, what it looks like on the right.
import { getRouteApi } from "@tanstack/react-router";
import type { Layout } from "@tidings/contract";
import { useState } from "react";
import { useOperation } from "../../api/hooks.ts";
import { requiredRole, useMay } from "../../api/permissions.ts";
import { useEnvironment } from "../../api/session.tsx";
import { LeaveGuard } from "../../drafts/leave-guard.tsx";
import { useShortcuts } from "../../drafts/use-shortcuts.ts";
import { BodyField } from "../../email/body-field.tsx";
import { Id } from "../../kit/data/code.tsx";
import { Stack } from "../../kit/data/list.tsx";
import { Time } from "../../kit/data/time.tsx";
import { Notice } from "../../kit/feedback/notice.tsx";
import { ErrorPanel, Skeleton } from "../../kit/feedback/states.tsx";
import { Badge } from "../../kit/feedback/verdict.tsx";
import { Button, IconButton, LinkButton } from "../../kit/inputs/button.tsx";
import { Checkbox, TextField } from "../../kit/inputs/field.tsx";
import { Halves } from "../../kit/layout/layout.tsx";
import { Page } from "../../kit/layout/page.tsx";
import { useConfirm } from "../../kit/overlays/confirm.tsx";
import { variableNames } from "../../steps/variable-names.ts";
import { words as kitWords } from "../../words.ts";
import { LayoutConflict } from "./layout-conflict.tsx";
import { UserList } from "./layout-dialogs.tsx";
import { LayoutPreview } from "./layout-preview.tsx";
import css from "./layouts.module.css";
import { type LayoutEditor, useLayoutEditor } from "./use-layout-editor.ts";
import { words } from "./words.ts";

const layoutRoute = getRouteApi("/shell/layouts/$layoutId");

const say = words.editor;
const back = { to: "/layouts", search: {}, label: say.back } as const;

export function LayoutScreen() {
  const { layoutId } = layoutRoute.useParams();
  const { _id: environmentId } = useEnvironment();
  const { data, error, refetch } = useOperation("layouts.retrieve", { params: { layoutId } });
  if (data) return <LoadedLayout key={`${environmentId} ${data._id}`} layout={data} />;
  return (
    <Page title={layoutId} back={back}>
      {error ? <ErrorPanel error={error} onRetry={refetch} /> : <Skeleton rows={10} />}
    </Page>
  );
}

function LoadedLayout({ layout }: { layout: Layout }) {
  const isProduction = useEnvironment().type === "prod";
  const canEdit = useMay()("layouts.update");
  const [isUnlocked, setUnlocked] = useState(false);
  const editor = useLayoutEditor(layout, !canEdit || (isProduction && !isUnlocked));
  useShortcuts({ ...editor, save: () => editor.save() });
  return (
    <Page
      title={editor.draft.name || layout.name}
      back={back}
      lead={
        <span className={css.lead}>
          <Id text={layout.layoutId} what={words.id} />
          {layout.isDefault && <Badge tone="accent">{words.isDefault}</Badge>}
        </span>
      }
      actions={!editor.isReadOnly && <Actions editor={editor} />}
      isSticky
    >
      <div className={css.notices} role="status">
        {!canEdit && <Notice icon="key">{kitWords.needsRole(requiredRole("layouts.update"))}</Notice>}
        {canEdit && isProduction && !isUnlocked && <Locked onUnlock={() => setUnlocked(true)} />}
        {editor.restoredAt && (
          <Notice icon="refresh">
            {say.restored} <Time at={editor.restoredAt} isRelative />.
          </Notice>
        )}
        {editor.isDraftLost && <Notice tone="warn">{say.draftLost}</Notice>}
        {editor.isOld && <Notice tone="warn">{say.newer}</Notice>}
      </div>
      <Halves>
        <Form editor={editor} />
        <LayoutPreview layoutId={layout._id} draft={editor.draft} />
      </Halves>
      <LayoutConflict editor={editor} />
      <LeaveGuard editor={editor} />
    </Page>
  );
}

function Locked({ onUnlock }: { onUnlock: () => void }) {
  const { confirm, dialog } = useConfirm();
  const ask = () => confirm({ title: say.editTitle, text: say.editText, label: say.edit, isAlways: true }, onUnlock);
  return (
    <>
      {dialog}
      <Notice
        icon="zap"
        tone="warn"
        action={
          <Button size="small" onClick={ask}>
            {say.edit}
          </Button>
        }
      >
        {say.production}
      </Notice>
    </>
  );
}

function Actions({ editor }: { editor: LayoutEditor }) {
  const { isChanged, isSaving, canUndo, canRedo } = editor;
  const { confirm, dialog } = useConfirm();
  const question = { title: say.discardTitle, text: say.discardText, label: say.discard };
  return (
    <>
      {dialog}
      {isChanged && <Badge tone="warn">{say.unsaved}</Badge>}
      <IconButton label={say.undo} icon="undo" disabled={!canUndo} onClick={editor.undo} />
      <IconButton label={say.redo} icon="redo" disabled={!canRedo} onClick={editor.redo} />
      {isChanged && (
        <Button onClick={() => confirm({ ...question, isDanger: true, isAlways: true }, editor.discard)}>
          {say.discard}
        </Button>
      )}
      <Button look="primary" disabled={!isChanged || isSaving} onClick={() => editor.save()}>
        {isSaving ? say.saving : say.save}
      </Button>
    </>
  );
}

function Form({ editor }: { editor: LayoutEditor }) {
  const { layout, draft, isReadOnly, isChanged, hasContent, change } = editor;
  const issues = Object.values(layout.issues?.controls ?? {}).flat();
  const usage = useOperation("layouts.usage", { params: { layoutId: layout._id } });
  return (
    <Stack>
      <TextField
        label={words.name}
        value={draft.name}
        maxLength={128}
        readOnly={isReadOnly}
        onChange={({ target }) => change({ name: target.value }, "name")}
      />
      <BodyField
        label={say.body}
        hint={say.bodyHint}
        error={
          hasContent
            ? isChanged
              ? undefined
              : issues.map(({ message }) => message).join(". ") || undefined
            : say.noContent
        }
        body={draft.body}
        editorType={draft.editorType}
        names={{ variables: variableNames(layout.variables) }}
        isReadOnly={isReadOnly}
        onChange={change}
      />
      <div className={css.flag}>
        <Checkbox
          label={say.translations}
          checked={draft.isTranslationEnabled}
          disabled={isReadOnly}
          onChange={({ target }) => change({ isTranslationEnabled: target.checked }, "translations")}
        />
        <p className={css.weak}>{say.translationsHint}</p>
        {layout.isTranslationEnabled && (
          <LinkButton
            size="small"
            icon="languages"
            to="/translations/$resourceType/$resourceId"
            params={{ resourceType: "layout", resourceId: layout.layoutId }}
            search={{}}
          >
            {say.openTranslations}
          </LinkButton>
        )}
      </div>
      {usage.data && (
        <section className={css.usage}>
          <h2>{words.usedBy}</h2>
          {usage.data.workflows.length === 0 ? (
            <p className={css.weak}>{words.unused}</p>
          ) : (
            <UserList users={usage.data.workflows} />
          )}
        </section>
      )}
    </Stack>
  );
}
