// The form of one step: its name, what it sends or waits for, and when it runs.
import { lazy, Suspense, useCallback, useMemo, useRef, useState } from "react";
import { BodyField } from "../../../email/body-field.tsx";
import { sampleAt } from "../../../email/sample-value.ts";
import { type Insert, InsertionProvider } from "../../../fields/completion/insertion.ts";
import type { Names } from "../../../fields/completion/names.ts";
import type { Knowledge } from "../../../fields/condition-types.ts";
import { isIdentifier } from "../../../fields/identifier.ts";
import { ValueField } from "../../../fields/value-field.tsx";
import { Icon } from "../../../icons.tsx";
import { Skeleton } from "../../../kit/feedback/states.tsx";
import { Checkbox, TextField } from "../../../kit/inputs/field.tsx";
import { isSame } from "../../../kit/is-same.ts";
import { stepIcons } from "../../../outcomes/tones.ts";
import { stepKinds, stepNames } from "../../../steps/facts.gen.ts";
import type { FieldSpec, Values } from "../../../steps/kit.ts";
import { editorSteps } from "../../../steps/registry.gen.ts";
import { changeStep, type DraftStep, unsavedId, valueAt, withValue } from "../editor/model.ts";
import type { Editor } from "../editor/use-editor.ts";
import { renameStep } from "../flow/tree.ts";
import { StepComments } from "../team/step-comments.tsx";
import { fieldsFor, isSet } from "./fields.ts";
import { RenamedUses } from "./renamed-uses.tsx";
import css from "./step.module.css";
import { StepCondition } from "./step-condition.tsx";
import { Variables } from "./variables.tsx";
import { words } from "./words.ts";

const OwnForm = lazy(() => import("../later.ts").then((module) => ({ default: module.OwnForm })));
const Languages = lazy(() => import("../later.ts").then((module) => ({ default: module.Languages })));

type StepFormProps = {
  editor: Editor;
  step: DraftStep;
  names: Names;
  knowledge: Knowledge;
  payload: Values | null;
  subscriberId: string | undefined;
};

export function StepForm({ editor, step, names, knowledge, payload, subscriberId }: StepFormProps) {
  const { draft, isReadOnly, issues } = editor;
  const { variables } = names;
  const fields = useMemo(() => fieldsFor(step.type, step.controlValues), [step.type, step.controlValues]);
  const errorOf = (path: string) => issues.of(step.key, path);
  const change = (changed: Partial<DraftStep>, field: string) =>
    editor.change(changeStep(draft, step.key, changed), `${step.key}.${field}`);
  const samples = useStable({ ...names.scope, payload: payload ?? {} });
  const sampleOf = useCallback((name: string) => sampleAt(samples, name), [samples]);
  const drawBody = ({ path, label, hint }: FieldSpec) => (
    <BodyField
      label={label}
      hint={hint}
      error={errorOf(`controlValues.${path}`)}
      faults={issues.faultsOf(step.key, path)}
      body={String(step.controlValues.body ?? "")}
      editorType={step.controlValues.editorType}
      isReadOnly={isReadOnly}
      names={names}
      sampleOf={sampleOf}
      onChange={({ body, ...others }, undoStep) => {
        // An empty body is an absent value, so that the service says what is missing.
        const changed = { ...step.controlValues, ...others };
        change({ controlValues: withValue(changed, "body", body === "" ? undefined : body) }, `${path}.${undoStep}`);
      }}
    />
  );
  const draw = (spec: FieldSpec) => (
    <ValueField
      key={spec.path}
      spec={{ ...spec, hint: textHint(valueAt(step.controlValues, spec.path), sampleOf) ?? spec.hint }}
      value={valueAt(step.controlValues, spec.path)}
      error={errorOf(`controlValues.${spec.path}`)}
      faults={issues.faultsOf(step.key, spec.path)}
      isReadOnly={isReadOnly}
      names={names}
      onChange={(value) => change({ controlValues: withValue(step.controlValues, spec.path, value) }, spec.path)}
    />
  );
  const main = fields.filter(({ isMore, kind }) => !isMore && kind !== "part");
  const more = fields.filter(({ isMore }) => isMore);
  const hasContent = stepKinds[step.type] === "channel" || stepKinds[step.type] === "custom";
  const moreSet = more.filter((spec) => isSet(spec, step.controlValues)).length;
  const target = useRef<Insert | null>(null);
  const { hasOwnForm } = editorSteps[step.type];
  return (
    <InsertionProvider value={target}>
      <div className={css.form}>
        <header className={css.head}>
          <Icon name={stepIcons[step.type]} size={16} />
          <h2>{step.name || stepNames[step.type]}</h2>
          {step.name !== stepNames[step.type] && <span className={css.weak}>{stepNames[step.type]}</span>}
        </header>
        {issues.notesOf(step.key).map((note) => (
          <p key={note} className={css.note}>
            <Icon name="alert" size={14} />
            {note}
          </p>
        ))}
        <section className={css.section} aria-label={hasContent ? words.contentSection : words.timingSection}>
          {hasOwnForm ? (
            <Suspense fallback={<Skeleton rows={4} />}>
              <OwnForm
                editor={editor}
                step={step}
                names={names}
                knowledge={knowledge}
                payload={payload}
                subscriberId={subscriberId}
                field={(path) => draw(editorSteps[step.type].fields.find((spec) => spec.path === path)!)}
              />
            </Suspense>
          ) : (
            <div className={css.grid}>
              {main.map((spec) => wrap(spec, spec.kind === "email" ? drawBody(spec) : draw(spec)))}
            </div>
          )}
          {more.length > 0 && !hasOwnForm && (
            <details className={css.more} open={more.some(({ path }) => errorOf(`controlValues.${path}`)) || undefined}>
              <summary>{moreSet > 0 ? words.hasMore(moreSet) : words.more}</summary>
              <div className={css.grid}>{more.map((spec) => wrap(spec, draw(spec)))}</div>
            </details>
          )}
          {step.type === "email" && editor.workflow._id !== unsavedId && (
            <Suspense>
              <Languages editor={editor} step={step} />
            </Suspense>
          )}
          {hasContent && variables.length > 0 && <Variables names={variables} target={target} />}
        </section>
        <section className={css.section} aria-label={words.condition.title}>
          <h3>{words.condition.title}</h3>
          <StepCondition
            key={step.key}
            step={step}
            isReadOnly={isReadOnly}
            variables={variables}
            knowledge={knowledge}
            match={{ payload, workflowId: editor.workflow._id || undefined }}
            error={errorOf("controlValues.skip")}
            onChange={change}
          />
        </section>
        <details
          className={css.more}
          open={errorOf("stepId") !== undefined || errorOf("name") !== undefined || undefined}
        >
          <summary>{words.stepSettings}</summary>
          <StepSettings editor={editor} step={step} onChange={change} />
        </details>
        {step._id !== undefined && editor.workflow._id !== unsavedId && (
          <StepComments workflowId={editor.workflow._id} stepId={step._id} />
        )}
      </div>
    </InsertionProvider>
  );
}

/** A line that is a translated text says which. */
function textHint(value: unknown, sampleOf: (name: string) => unknown): string | undefined {
  const [, key] = /^\{\{\s*(t\.[\w.]+)\s*\}\}$/.exec(String(value ?? "")) ?? [];
  const text = key === undefined ? undefined : sampleOf(key);
  return typeof text === "string" ? words.languages.is(text) : undefined;
}

/** The same object as before while its content is the same: the editor draws its chips again for another one. */
function useStable<T>(value: T): T {
  const held = useRef(value);
  if (!isSame(held.current, value)) held.current = value;
  return held.current;
}

const wrap = (spec: FieldSpec, field: React.ReactNode) => (
  <div key={spec.path} className={spec.isBeside ? css.beside : css.cell}>
    {field}
  </div>
);

type StepSettingsProps = {
  editor: Editor;
  step: DraftStep;
  onChange: (changed: Partial<DraftStep>, field: string) => void;
};

function StepSettings({ editor, step, onChange }: StepSettingsProps) {
  const { draft, isReadOnly, issues, select } = editor;
  /** An identifier that another step has stays in the field: what names either step would name both. */
  const [typed, setTyped] = useState<string | null>(null);
  const shown = typed ?? step.stepId;
  const isUsed = (id: string) => draft.steps.some(({ key, stepId }) => key !== step.key && stepId === id);
  const own = isUsed(shown) ? words.stepIdTaken : isIdentifier(shown) ? undefined : words.badStepId;
  const rename = (stepId: string) => {
    setTyped(isUsed(stepId) || stepId === "" ? stepId : null);
    if (isUsed(stepId) || stepId === "") return;
    editor.change({ ...draft, steps: renameStep(draft.steps, step.key, stepId) }, `${step.key}.stepId`);
    select(stepId);
  };
  return (
    <div className={css.settings}>
      <TextField
        label={words.name}
        value={step.name}
        maxLength={128}
        readOnly={isReadOnly}
        error={issues.of(step.key, "name")}
        onChange={({ target }) => onChange({ name: target.value }, "name")}
      />
      <TextField
        label={words.stepId}
        value={shown}
        maxLength={100}
        readOnly={isReadOnly}
        spellCheck={false}
        hint={`${words.stepIdHint} steps.${step.stepId}`}
        error={own ?? issues.of(step.key, "stepId")}
        onChange={({ target }) => rename(target.value)}
      />
      {!isReadOnly && own === undefined && <RenamedUses editor={editor} step={step} />}
      <TextField
        label={words.deadline}
        type="number"
        min={1}
        value={step.deadlineSeconds ?? ""}
        readOnly={isReadOnly}
        hint={words.deadlineHint}
        error={issues.of(step.key, "deadlineSeconds")}
        onChange={({ target }) =>
          onChange(
            { deadlineSeconds: Number.isInteger(target.valueAsNumber) ? target.valueAsNumber : undefined },
            "deadlineSeconds",
          )
        }
      />
      <Checkbox
        label={words.active}
        checked={step.active}
        disabled={isReadOnly}
        onChange={({ target }) => onChange({ active: target.checked }, "active")}
      />
      <Checkbox
        label={words.stopOnFail}
        checked={step.shouldStopOnFail}
        disabled={isReadOnly}
        onChange={({ target }) => onChange({ shouldStopOnFail: target.checked }, "shouldStopOnFail")}
      />
    </div>
  );
}
