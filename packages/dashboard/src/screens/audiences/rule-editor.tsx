// The form of a rule next to the people it matches now.
import type { Audience } from "@tidings/contract";
import { faultBeside } from "../../api/api-error.ts";
import { UndoButtons } from "../../drafts/undo-buttons.tsx";
import { ConditionBuilder } from "../../fields/condition-builder.tsx";
import { Notice } from "../../kit/feedback/notice.tsx";
import { Button } from "../../kit/inputs/button.tsx";
import { TextField } from "../../kit/inputs/field.tsx";
import { Halves, Stack } from "../../kit/layout/layout.tsx";
import { Card } from "../../kit/layout/page.tsx";
import { LiveCount } from "./live-count.tsx";
import { isUsableId } from "./usable-id.ts";
import type { RuleEditor } from "./use-rule-editor.ts";
import { useRuleVariables } from "./use-rule-variables.ts";
import { words } from "./words.ts";

const say = words.form;

/** `audience`: absent for a new one. */
export function RuleForm({ editor, audience }: { editor: RuleEditor; audience: Audience | undefined }) {
  const { draft, audienceId, isReadOnly, errors, isTaken, change } = editor;
  const { variables, knowledge } = useRuleVariables(audience?.audienceId);
  const fault = Object.entries(errors).find(([field]) => field.startsWith("rule"));
  const ruleError = fault && faultBeside(...fault);
  return (
    <>
      {editor.restoredAt && (
        <Notice
          icon="clock"
          action={
            <Button size="small" onClick={editor.discard}>
              {say.discard}
            </Button>
          }
        >
          {say.restored}
        </Notice>
      )}
      <Halves>
        <Stack>
          <Card title={say.about}>
            <Stack>
              <TextField
                label={words.name}
                value={draft.name}
                maxLength={128}
                readOnly={isReadOnly}
                error={errors.name}
                onChange={({ target }) => change({ name: target.value }, "name")}
              />
              {!audience && (
                <TextField
                  label={words.id}
                  value={audienceId}
                  maxLength={100}
                  spellCheck={false}
                  hint={say.idHint}
                  error={
                    isTaken ? say.taken : audienceId !== "" && !isUsableId(audienceId) ? say.badId : errors.audienceId
                  }
                  onChange={({ target }) => change({ ownId: target.value }, "id")}
                />
              )}
              <TextField
                label={say.description}
                value={draft.description}
                maxLength={1_000}
                readOnly={isReadOnly}
                hint={say.descriptionHint}
                error={errors.description}
                onChange={({ target }) => change({ description: target.value }, "description")}
              />
            </Stack>
          </Card>
          <Card title={say.rule}>
            <ConditionBuilder
              rule={draft.rule}
              none={say.noRule}
              meaning="member"
              start="subscriber."
              variables={variables}
              knowledge={knowledge}
              isReadOnly={isReadOnly}
              error={ruleError}
              onChange={(rule, field) => change({ rule }, field)}
            />
          </Card>
        </Stack>
        <LiveCount rule={draft.rule} audienceId={audience?.audienceId} />
      </Halves>
    </>
  );
}

export const SaveActions = ({ editor }: { editor: RuleEditor }) =>
  !editor.isReadOnly && (
    <>
      {editor.dialog}
      <UndoButtons editor={editor} />
      <Button
        look="primary"
        disabled={
          !editor.isChanged || editor.isSaving || editor.draft.name.trim() === "" || !isUsableId(editor.audienceId)
        }
        onClick={editor.save}
      >
        {editor.isSaving ? say.saving : say.save}
      </Button>
    </>
  );
