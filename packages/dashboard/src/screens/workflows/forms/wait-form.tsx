// The form of a wait: what ends it, when it times out, and what happens then.
import { earlierSteps } from "@tidings/contract/arms";
import { Field } from "../../../kit/inputs/field.tsx";
import { Select } from "../../../kit/inputs/select.tsx";
import { stepKinds } from "../../../steps/facts.gen.ts";
import { changeStep, type DraftStep, type Values, valueAt, withValue } from "../editor/model.ts";
import { fieldsFor } from "../step/fields.ts";
import css from "./forms.module.css";
import { errorAt, type OwnFormProps } from "./props.ts";
import { waitSentence } from "./wait-sentence.ts";
import { words } from "./words.ts";

const say = words.wait;

export function WaitForm(props: OwnFormProps) {
  const { editor, step, field } = props;
  const { draft, isReadOnly } = editor;
  const { steps } = draft;
  const at = steps.findIndex(({ key }) => key === step.key);
  const channels = earlierSteps(steps, at).filter(({ type }) => stepKinds[type] === "channel");
  const watched = String(valueAt(step.controlValues, "message.stepId") ?? "");
  const change = (controlValues: Values) =>
    editor.change(changeStep(draft, step.key, { controlValues }), `${step.key}.message.stepId`);
  const setMessage = (stepId: string) => {
    if (stepId === "") return change(withValue(step.controlValues, "message", undefined));
    const event = valueAt(step.controlValues, "message.event") ?? "read";
    change({ ...step.controlValues, message: { stepId, event } });
  };
  const has = new Set(fieldsFor("wait", step.controlValues).map(({ path }) => path));
  const draw = (path: string) => has.has(path) && field(path);
  return (
    <div className={css.form}>
      <p className={css.lead}>{waitSentence(step.controlValues, (id) => nameOf(steps, id))}</p>
      <fieldset className={css.group}>
        <legend>{say.until}</legend>
        <div className={css.two}>
          {draw("signal.name")}
          {draw("signal.key")}
        </div>
        {valueAt(step.controlValues, "signal.name") !== undefined && draw("signal.lookBackMinutes")}
        <div className={css.two}>
          <Field label={say.message} hint={say.messageHint} error={errorAt(props, "message.stepId")}>
            {({ id }) => (
              <Select
                id={id}
                name={say.message}
                isWide
                value={watched}
                choices={[
                  { value: "", label: say.noMessage },
                  ...channels.map(({ stepId, name }) => ({ value: stepId, label: name })),
                  ...(watched === "" || channels.some(({ stepId }) => stepId === watched)
                    ? []
                    : [{ value: watched, label: watched }]),
                ]}
                disabled={isReadOnly}
                onChange={setMessage}
              />
            )}
          </Field>
          {watched !== "" && draw("message.event")}
        </div>
      </fieldset>
      <fieldset className={css.group}>
        <legend>{say.timeout}</legend>
        {draw("type")}
        <div className={css.two}>
          {draw("amount")}
          {draw("unit")}
        </div>
        {draw("cron")}
        {draw("dynamicKey")}
      </fieldset>
      <fieldset className={css.group}>
        <legend>{say.afterwards}</legend>
        <div className={css.two}>
          {draw("onEvent")}
          {draw("onTimeout")}
        </div>
      </fieldset>
    </div>
  );
}

const nameOf = (steps: readonly DraftStep[], id: string): string =>
  steps.find(({ stepId }) => stepId === id)?.name ?? id;
