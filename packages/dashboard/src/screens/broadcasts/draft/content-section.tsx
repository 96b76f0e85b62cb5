// What is sent: a saved workflow, or steps that are written for this broadcast.
import { useNavigate } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { useOperation } from "../../../api/hooks.ts";
import { JsonField } from "../../../fields/json-field.tsx";
import { Icon } from "../../../icons.tsx";
import { Button, LinkButton } from "../../../kit/inputs/button.tsx";
import { Fault, Field } from "../../../kit/inputs/field.tsx";
import { Segments } from "../../../kit/inputs/segments.tsx";
import { Select } from "../../../kit/inputs/select.tsx";
import { Muted, Note, Stack } from "../../../kit/layout/layout.tsx";
import { Card } from "../../../kit/layout/page.tsx";
import { stepIcons } from "../../../outcomes/tones.ts";
import { words } from "../words.ts";
import css from "./draft.module.css";
import type { DraftEditor } from "./use-broadcast-draft.ts";

const say = words.content;
type Kind = keyof typeof say.kinds;

export function ContentSection({ editor }: { editor: DraftEditor }) {
  const { draft, isReadOnly, errors, change } = editor;
  const { content } = draft;
  const [kind, setKind] = useState<Kind>(content.steps && content.workflowId === undefined ? "steps" : "workflow");
  const [hasPayload, setPayload] = useState(content.payload !== undefined && Object.keys(content.payload).length > 0);
  // What the other kind had: a look at it loses nothing.
  const kept = useRef<Pick<typeof content, "workflowId" | "steps">>({});
  const choose = (next: Kind) => {
    if (next === kind) return;
    setKind(next);
    const { workflowId, steps, ...others } = content;
    kept.current = { ...kept.current, ...(steps ? { steps } : { workflowId }) };
    const { workflowId: workflow, steps: written = [] } = kept.current;
    const own = next === "steps" ? { steps: written } : workflow === undefined ? {} : { workflowId: workflow };
    change({ content: { ...others, ...own } }, "content.kind");
  };
  return (
    <Card title={say.title}>
      <Stack>
        <Segments label={say.kind} value={kind} choices={say.kinds} isDisabled={isReadOnly} onChoose={choose} />
        {kind === "workflow" ? <WorkflowChoice editor={editor} /> : <OwnSteps editor={editor} />}
        {hasPayload ? (
          <JsonField
            label={say.payload}
            hint={say.payloadHint}
            error={errors["content.payload"]}
            value={content.payload}
            isReadOnly={isReadOnly}
            onChange={(payload) => {
              const { payload: _before, ...others } = content;
              change({ content: payload === undefined ? others : { ...others, payload } }, "content.payload");
            }}
          />
        ) : (
          !isReadOnly && (
            <div>
              <Button size="small" look="plain" icon="plus" onClick={() => setPayload(true)}>
                {say.addPayload}
              </Button>
            </div>
          )
        )}
      </Stack>
    </Card>
  );
}

function WorkflowChoice({ editor: { draft, isReadOnly, errors, change } }: { editor: DraftEditor }) {
  const { workflowId = "" } = draft.content;
  const { data } = useOperation(
    "workflows.list",
    { query: { limit: 100, orderBy: "name", orderDirection: "ASC" } },
    { staleTime: 30_000 },
  );
  const known = (data?.workflows ?? []).map((one) => ({
    value: one.workflowId,
    label: one.name,
    note: one.workflowId,
  }));
  const isKnown = workflowId === "" || known.some(({ value }) => value === workflowId);
  const { steps: _steps, ...others } = draft.content;
  return (
    <>
      <Field label={say.workflow} hint={say.workflowHint} error={errors["content.workflowId"] ?? errors.content}>
        {({ id }) => (
          <Select
            id={id}
            name={say.workflow}
            isWide
            value={workflowId}
            disabled={isReadOnly}
            choices={[
              ...(workflowId === "" ? [{ value: "", label: say.choose }] : []),
              ...(isKnown ? [] : [{ value: workflowId, label: workflowId }]),
              ...known,
            ]}
            onChange={(next) => change({ content: { ...others, workflowId: next } }, "content.workflowId")}
          />
        )}
      </Field>
      {workflowId !== "" && (
        <div>
          <LinkButton size="small" icon="workflow" to="/workflows/$workflowId" params={{ workflowId }}>
            {say.open}
          </LinkButton>
        </div>
      )}
    </>
  );
}

function OwnSteps({ editor }: { editor: DraftEditor }) {
  const { draft, broadcast, isReadOnly, errors } = editor;
  const navigate = useNavigate();
  const steps = draft.content.steps ?? [];
  // The editor of the steps works on the saved draft.
  const open = () =>
    editor.withSaved(
      () =>
        void navigate({
          to: "/broadcasts/$broadcastId/steps",
          params: { broadcastId: broadcast._id },
          ignoreBlocker: true,
        }),
    );
  const fault = Object.entries(errors).find(([field]) => field.startsWith("content.steps"))?.[1];
  return (
    <>
      <Muted>{steps.length === 0 ? say.noSteps : say.stepsHint}</Muted>
      {steps.length > 0 && (
        <ol className={css.steps} aria-label={say.steps}>
          {steps.map((step) => (
            <li key={step.stepId ?? step.name}>
              <Icon name={stepIcons[step.type]} size={15} />
              <span>{step.name}</span>
              <Note>{subjectOf(step.controlValues)}</Note>
            </li>
          ))}
        </ol>
      )}
      {fault && <Fault>{fault}</Fault>}
      <div>
        <Button icon={isReadOnly ? undefined : "pencil"} size="small" disabled={editor.isSaving} onClick={open}>
          {isReadOnly ? say.show : steps.length === 0 ? say.write : say.edit}
        </Button>
      </div>
    </>
  );
}

const subjectOf = (values: Record<string, unknown> | undefined): string =>
  typeof values?.subject === "string" ? values.subject : "";
