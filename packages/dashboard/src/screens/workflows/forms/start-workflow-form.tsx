// The form of a step that starts another workflow: which, for whom, and with which payload.
import { useOperation } from "../../../api/hooks.ts";
import { TemplateInput } from "../../../fields/completion/template-input.tsx";
import inputs from "../../../fields/fields.module.css";
import { Field } from "../../../kit/inputs/field.tsx";
import { Select } from "../../../kit/inputs/select.tsx";
import { changeStep, withValue } from "../editor/model.ts";
import css from "./forms.module.css";
import { JsonTemplateField } from "./json-template-field.tsx";
import { PairList } from "./pair-list.tsx";
import { errorAt, type OwnFormProps } from "./props.ts";
import { words } from "./words.ts";

const say = words.start;
const maxRecipients = 20;
/** As many as the list of workflows returns at once. */
const maxChoices = 100;

type Recipient = { subscriberId: string } | { topicKey: string };
type Kind = keyof typeof say.kinds;

const kindOf = (one: Recipient): Kind => ("topicKey" in one ? "topicKey" : "subscriberId");
const textOf = (one: Recipient): string => ("topicKey" in one ? one.topicKey : (one.subscriberId ?? ""));
const recipient = (kind: Kind, text: string): Recipient =>
  kind === "topicKey" ? { topicKey: text } : { subscriberId: text };

export function StartWorkflowForm(props: OwnFormProps) {
  const { editor, step, names } = props;
  const { isReadOnly, workflow } = editor;
  const { workflowId: chosen = "", to, payload } = step.controlValues;
  const { data } = useOperation("workflows.list", { query: { limit: maxChoices } }, { staleTime: 30_000 });
  const known = (data?.workflows ?? [])
    .filter(({ workflowId }) => workflowId !== workflow.workflowId)
    .map(({ workflowId, name }) => ({ value: workflowId, label: name, note: workflowId }));
  const isUnknown = chosen !== "" && !known.some(({ value }) => value === chosen);
  const change = (path: string, value: unknown, undoStep = path) =>
    editor.change(
      changeStep(editor.draft, step.key, { controlValues: withValue(step.controlValues, path, value) }),
      `${step.key}.${undoStep}`,
    );
  return (
    <div className={css.form}>
      <p className={css.lead}>{say.lead}</p>
      <Field label={say.workflow} hint={say.workflowHint} error={errorAt(props, "workflowId")}>
        {({ id }) => (
          <Select
            id={id}
            name={say.workflow}
            isWide
            value={String(chosen)}
            choices={[
              { value: "", label: say.choose },
              ...known,
              ...(isUnknown ? [{ value: String(chosen), label: String(chosen) }] : []),
            ]}
            disabled={isReadOnly}
            onChange={(value) => change("workflowId", value === "" ? undefined : value)}
          />
        )}
      </Field>
      <PairList<Recipient>
        label={say.to}
        hint={say.toHint}
        error={errorAt(props, "to")}
        errorOf={(index) =>
          errorAt(props, `to.${index}`) ??
          errorAt(props, `to.${index}.subscriberId`) ??
          errorAt(props, `to.${index}.topicKey`)
        }
        rows={Array.isArray(to) ? to : []}
        most={maxRecipients}
        isReadOnly={isReadOnly}
        add={say.addRecipient}
        removeName={say.removeRecipient}
        start={{ subscriberId: "" }}
        draw={(row, index, set) => (
          <>
            <Select
              name={say.kind(index)}
              isWide
              value={kindOf(row)}
              choices={Object.entries(say.kinds).map(([value, label]) => ({ value: value as Kind, label }))}
              disabled={isReadOnly}
              onChange={(kind) => set(recipient(kind, textOf(row)))}
            />
            <TemplateInput
              described={{ "aria-label": say.recipient(index) }}
              className={inputs.input}
              text={textOf(row)}
              names={names}
              isReadOnly={isReadOnly}
              spellCheck={false}
              onChange={(text) => set(recipient(kindOf(row), text))}
            />
          </>
        )}
        onChange={(rows, row) => change("to", rows.length === 0 ? undefined : rows, `to.${row}`)}
      />
      <JsonTemplateField
        label={say.payload}
        hint={say.payloadHint}
        error={errorAt(props, "payload")}
        text={String(payload ?? "")}
        names={names}
        isReadOnly={isReadOnly}
        onChange={(text) => change("payload", text)}
      />
    </div>
  );
}
