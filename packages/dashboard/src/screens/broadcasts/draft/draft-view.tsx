// A draft: its sections on the left, whom it reaches and the checklist on the right, even while it awaits approval.
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import type { Broadcast } from "@tidings/contract";
import { useState } from "react";
import { requiredRole, useMay } from "../../../api/permissions.ts";
import { LeaveGuard } from "../../../drafts/leave-guard.tsx";
import { UndoButtons } from "../../../drafts/undo-buttons.tsx";
import { useShortcuts } from "../../../drafts/use-shortcuts.ts";
import { Figure } from "../../../kit/data/figure.tsx";
import { Notice } from "../../../kit/feedback/notice.tsx";
import { ErrorPanel } from "../../../kit/feedback/states.tsx";
import { Button } from "../../../kit/inputs/button.tsx";
import { TextField } from "../../../kit/inputs/field.tsx";
import { Aside, Halves, Muted, Note, Stack } from "../../../kit/layout/layout.tsx";
import { Card, Page } from "../../../kit/layout/page.tsx";
import { Tabs } from "../../../kit/layout/tabs.tsx";
import { words as peopleWords } from "../../../subscribers/people-words.ts";
import { words as kitWords } from "../../../words.ts";
import { BroadcastMenu } from "../broadcast-menu.tsx";
import { StatusBadge } from "../status-badge.tsx";
import { words } from "../words.ts";
import { ApprovalActions, ApprovalNotice } from "./approval.tsx";
import { AudienceSection } from "./audience-section.tsx";
import { Checklist, useCheck } from "./checklist.tsx";
import { ContentSection } from "./content-section.tsx";
import css from "./draft.module.css";
import { PaceSection } from "./pace-section.tsx";
import { PreviewTab } from "./preview-tab.tsx";
import { type Reach, useReach } from "./reach.ts";
import { Send } from "./send.tsx";
import { TestDialog } from "./test-dialog.tsx";
import { TimeSection } from "./time-section.tsx";
import { type DraftEditor, useBroadcastDraft } from "./use-broadcast-draft.ts";

const broadcastRoute = getRouteApi("/shell/broadcasts/$broadcastId");
const back = { to: "/broadcasts", search: {}, label: words.back } as const;

export function DraftView({ broadcast }: { broadcast: Broadcast }) {
  const { tab = "draft" } = broadcastRoute.useSearch();
  const navigate = broadcastRoute.useNavigate();
  const leave = useNavigate();
  const may = useMay();
  const mayEdit = may("broadcasts.update");
  const isDraft = broadcast.status === "draft";
  const editor = useBroadcastDraft(broadcast, !mayEdit || !isDraft);
  const { draft } = editor;
  useShortcuts(editor);
  const reach = useReach(draft.audience);
  const checked = useCheck(broadcast);
  const [isTesting, setTesting] = useState(false);
  return (
    <Page
      title={draft.name || broadcast.name}
      heading={
        <>
          {draft.name || broadcast.name} <StatusBadge status={broadcast.status} />
        </>
      }
      back={back}
      isSticky
      actions={
        <>
          {may("broadcasts.test") && (
            <Button disabled={editor.isSaving} onClick={() => editor.withSaved(() => setTesting(true))}>
              {words.test.action}
            </Button>
          )}
          {!editor.isReadOnly && (
            <>
              <UndoButtons editor={editor} />
              <Button disabled={!editor.isChanged || editor.isSaving || draft.name.trim() === ""} onClick={editor.save}>
                {editor.isSaving ? words.saving : words.save}
              </Button>
            </>
          )}
          {isDraft && <Send editor={editor} reach={reach} checked={checked} />}
          {!isDraft && <ApprovalActions broadcast={broadcast} reach={reach} />}
          <BroadcastMenu
            broadcast={broadcast}
            onDeleted={() => void leave({ to: "/broadcasts", ignoreBlocker: true })}
          />
        </>
      }
    >
      {editor.dialog}
      <LeaveGuard editor={editor} />
      {isTesting && <TestDialog broadcastId={broadcast._id} onClose={() => setTesting(false)} />}
      <Notices editor={editor} mayEdit={mayEdit} />
      <Tabs
        value={tab}
        onChange={(next) => void navigate({ search: ({ env }) => ({ env, ...(next !== "draft" && { tab: next }) }) })}
        tabs={[
          {
            value: "draft",
            label: words.tabs.draft,
            panel: (
              <Halves>
                <Stack>
                  <Card>
                    <TextField
                      label={words.name}
                      value={draft.name}
                      maxLength={128}
                      readOnly={editor.isReadOnly}
                      error={editor.errors.name}
                      onChange={({ target }) => editor.change({ name: target.value }, "name")}
                    />
                  </Card>
                  <ContentSection editor={editor} />
                  <AudienceSection editor={editor} />
                  <TimeSection editor={editor} />
                  <PaceSection editor={editor} />
                </Stack>
                <Aside label={words.check.title}>
                  <ReachCard reach={reach} />
                  <Checklist editor={editor} checked={checked} />
                </Aside>
              </Halves>
            ),
          },
          {
            value: "preview",
            label: words.tabs.preview,
            panel: tab === "preview" && <PreviewTab editor={editor} />,
          },
        ]}
      />
    </Page>
  );
}

function Notices({ editor, mayEdit }: { editor: DraftEditor; mayEdit: boolean }) {
  const { broadcast, restoredAt, isOld } = editor;
  return (
    <div className={css.notices} role="status">
      {!mayEdit && <Notice icon="key">{kitWords.needsRole(requiredRole("broadcasts.update"))}</Notice>}
      <ApprovalNotice broadcast={broadcast} />
      {restoredAt && (
        <Notice
          icon="clock"
          action={
            <Button size="small" onClick={editor.discard}>
              {words.discard}
            </Button>
          }
        >
          {words.restored}
        </Notice>
      )}
      {isOld && (
        <Notice
          tone="warn"
          icon="users"
          action={
            <Button size="small" onClick={editor.discard}>
              {words.load}
            </Button>
          }
        >
          {words.changedElsewhere}
        </Notice>
      )}
    </div>
  );
}

function ReachCard({ reach: { isChosen, count, error, isOld } }: { reach: Reach }) {
  const say = words.audience;
  return (
    <Card title={say.who}>
      {!isChosen && <Muted>{say.none}</Muted>}
      {error && <ErrorPanel error={error} />}
      {isChosen && !error && (
        <div className={css.reach} data-old={isOld} role="status">
          <Figure>{count ? (count.people === 0 ? say.nobody : peopleWords.counted(count)) : say.counting}</Figure>
          <Note>{count?.isEstimated ? peopleWords.estimated : say.fixed}</Note>
        </div>
      )}
    </Card>
  );
}
