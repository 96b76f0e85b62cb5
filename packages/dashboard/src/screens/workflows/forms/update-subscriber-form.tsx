// The form of a step that changes the subscriber of the run: its fields, and its data as JSON.
import { editorSteps } from "../../../steps/registry.gen.ts";
import { changeStep, withValue } from "../editor/model.ts";
import css from "./forms.module.css";
import { JsonTemplateField } from "./json-template-field.tsx";
import { errorAt, type OwnFormProps } from "./props.ts";
import { words } from "./words.ts";

const say = words.update;

export function UpdateSubscriberForm(props: OwnFormProps) {
  const { editor, step, names, field } = props;
  const paths = editorSteps[step.type].fields.map(({ path }) => path).filter((path) => path !== "data");
  return (
    <div className={css.form}>
      <p className={css.lead}>{say.lead}</p>
      <div className={css.two}>
        {paths.map((path) => (
          <div key={path}>{field(path)}</div>
        ))}
      </div>
      <JsonTemplateField
        label={say.data}
        hint={say.dataHint}
        error={errorAt(props, "data")}
        text={String(step.controlValues.data ?? "")}
        names={names}
        isReadOnly={editor.isReadOnly}
        onChange={(text) =>
          editor.change(
            changeStep(editor.draft, step.key, { controlValues: withValue(step.controlValues, "data", text) }),
            `${step.key}.data`,
          )
        }
      />
    </div>
  );
}
