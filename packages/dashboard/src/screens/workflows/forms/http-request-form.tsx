// The form of an HTTP request: what is sent, what the response looks like, and what happens when it fails.
import { TemplateInput } from "../../../fields/completion/template-input.tsx";
import inputs from "../../../fields/fields.module.css";
import { JsonField } from "../../../fields/json-field.tsx";
import { Button } from "../../../kit/inputs/button.tsx";
import { TextField } from "../../../kit/inputs/field.tsx";
import { changeStep, valueAt, withValue } from "../editor/model.ts";
import css from "./forms.module.css";
import { schemaOf } from "./json-template.ts";
import { JsonTemplateField } from "./json-template-field.tsx";
import { PairList } from "./pair-list.tsx";
import { errorAt, type OwnFormProps } from "./props.ts";
import { SendOnce } from "./send-once.tsx";
import { words } from "./words.ts";

const say = words.request;
const maxHeaders = 50;
/** Their requests have no body. */
const bodyless = ["GET", "HEAD", "OPTIONS"];

type Pair = { key: string; value: string };

const pairsOf = (value: unknown): Pair[] => (Array.isArray(value) ? value : []);

/** Older workflows have pairs where others have text. */
const bodyText = (body: unknown): string =>
  Array.isArray(body)
    ? JSON.stringify(Object.fromEntries(pairsOf(body).map(({ key, value }) => [key, value])), null, 2)
    : String(body ?? "");

export function HttpRequestForm(props: OwnFormProps) {
  const { editor, step, names, field } = props;
  const { isReadOnly } = editor;
  const { controlValues: values } = step;
  const change = (path: string, value: unknown, undoStep = path) =>
    editor.change(
      changeStep(editor.draft, step.key, { controlValues: withValue(values, path, value) }),
      `${step.key}.${undoStep}`,
    );
  const sample = valueAt(values, "sampleResponse.body");
  const hasBody = !bodyless.includes(String(values.method)) || values.body !== undefined;
  return (
    <div className={css.form}>
      <p className={css.lead}>{say.lead}</p>
      <div className={css.request}>
        {field("method")}
        {field("url")}
      </div>
      <PairList<Pair>
        label={say.headers}
        error={errorAt(props, "headers")}
        errorOf={(index) => errorAt(props, `headers.${index}.key`) ?? errorAt(props, `headers.${index}.value`)}
        rows={pairsOf(values.headers)}
        most={maxHeaders}
        isReadOnly={isReadOnly}
        add={say.addHeader}
        removeName={say.removeHeader}
        start={{ key: "", value: "" }}
        draw={(row, index, set) => (
          <>
            <input
              className={inputs.mono}
              aria-label={say.headerName(index)}
              placeholder="X-Name"
              value={row.key}
              readOnly={isReadOnly}
              spellCheck={false}
              autoComplete="off"
              onChange={({ target }) => set({ ...row, key: target.value })}
            />
            <TemplateInput
              described={{ "aria-label": say.headerValue(index) }}
              className={inputs.input}
              text={row.value}
              names={names}
              isReadOnly={isReadOnly}
              spellCheck={false}
              onChange={(value) => set({ ...row, value })}
            />
          </>
        )}
        onChange={(rows, row) => change("headers", rows.length === 0 ? undefined : rows, `headers.${row}`)}
      />
      {hasBody && (
        <JsonTemplateField
          label={say.body}
          hint={say.bodyHint}
          error={errorAt(props, "body")}
          text={bodyText(values.body)}
          names={names}
          isReadOnly={isReadOnly}
          onChange={(text) => change("body", text)}
        />
      )}
      {field("continueOnFailure")}
      <SendOnce {...props} onSample={(response) => change("sampleResponse", response)} />
      <fieldset className={css.group}>
        <legend>{say.response}</legend>
        <p className={css.weak}>{say.results(step.stepId)}</p>
        <TextField
          label={say.status}
          type="number"
          min={100}
          max={599}
          value={String(valueAt(values, "sampleResponse.status") ?? "")}
          placeholder="200"
          readOnly={isReadOnly}
          error={errorAt(props, "sampleResponse.status")}
          onChange={({ target }) =>
            change("sampleResponse.status", Number.isInteger(target.valueAsNumber) ? target.valueAsNumber : undefined)
          }
        />
        <JsonField
          label={say.sample}
          hint={say.sampleHint}
          isAny
          error={errorAt(props, "sampleResponse.body") ?? errorAt(props, "sampleResponse")}
          value={sample}
          isReadOnly={isReadOnly}
          onChange={(value) => change("sampleResponse.body", value)}
        />
        <JsonField
          label={say.schema}
          hint={say.schemaHint}
          error={errorAt(props, "responseBodySchema")}
          value={values.responseBodySchema}
          isReadOnly={isReadOnly}
          onChange={(value) => change("responseBodySchema", value)}
        />
        {!isReadOnly && (
          <div>
            <Button
              size="small"
              disabled={sample === undefined}
              onClick={() => change("responseBodySchema", schemaOf(sample))}
            >
              {say.derive}
            </Button>
          </div>
        )}
        {field("enforceSchemaValidation")}
      </fieldset>
    </div>
  );
}
