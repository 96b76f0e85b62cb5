// Sends the draft of the editor to one person, and shows what came of it.
import type { WorkflowTest, WorkflowTestIn } from "@tidings/contract";
import { useState } from "react";
import { type ApiError, toApiError } from "../../../api/api-error.ts";
import { useChange, useOperation } from "../../../api/hooks.ts";
import { useEnvironment, useSession } from "../../../api/session.tsx";
import { CodeField } from "../../../fields/code-field.tsx";
import { jsonFault } from "../../../fields/json-fault.ts";
import { parseObject } from "../../../fields/json-object.ts";
import { Icon } from "../../../icons.tsx";
import { Notice } from "../../../kit/feedback/notice.tsx";
import { ErrorPanel } from "../../../kit/feedback/states.tsx";
import { Button } from "../../../kit/inputs/button.tsx";
import { Field } from "../../../kit/inputs/field.tsx";
import { Select } from "../../../kit/inputs/select.tsx";
import { useConfirm } from "../../../kit/overlays/confirm.tsx";
import { Dialog } from "../../../kit/overlays/dialog.tsx";
import { Menu } from "../../../kit/overlays/menu.tsx";
import { nameOf } from "../../../subscribers/avatar.tsx";
import { type Subscriber, SubscriberPicker } from "../../../subscribers/subscriber-picker.tsx";
import { words as kitWords } from "../../../words.ts";
import { type Draft, toTest } from "../editor/model.ts";
import type { Editor } from "../editor/use-editor.ts";
import { payloadEntries } from "../preview/sample-choices.tsx";
import type { Sample } from "../preview/use-sample.ts";
import { words as previewWords } from "../preview/words.ts";
import { keepPayload, readPayload } from "./kept-payload.ts";
import css from "./test.module.css";
import { TestCode } from "./test-code.tsx";
import { TestRun } from "./test-run.tsx";
import { words } from "./words.ts";

type TestDialogProps = { editor: Editor; sample: Sample; onClose: () => void };

export function TestDialog({ editor, sample, onClose }: TestDialogProps) {
  const { workflow, draft, issues } = editor;
  const { _id: environmentId, type } = useEnvironment();
  const place = { kind: "test", environmentId, workflowId: workflow._id } as const;
  const [text, setText] = useState(() => readPayload(place) ?? sample.payloadText);
  const [other, setOther] = useState<Subscriber | undefined>();
  const [isMe, setMe] = useState(true);
  const [sent, setSent] = useState<(WorkflowTest & { name: string }) | null>(null);
  const me = useMe();
  const person = isMe ? me.person : other && { ...other, to: other.subscriberId };
  const test = useChange("workflows.test", ["activity.listEvents", "notifications.list", "subscribers.list"]);
  const { confirm, dialog } = useConfirm();
  const payload = parseObject(text);
  const refused = readRefusal(test.error, draft);
  const faulty = draft.steps.filter(({ key }) => issues.countOf(key) > 0).map(({ name }) => name);
  const change = (next: string) => {
    setText(next);
    keepPayload(place, next);
    test.reset();
  };
  const send = () => {
    if (!person || !payload) return;
    confirm({ title: words.production, text: words.productionText, label: words.send }, () =>
      test.mutate(
        { params: { workflowId: workflow._id }, body: { workflow: toTest(draft), to: person.to, payload } },
        { onSuccess: (result) => setSent({ ...result, name: person.name }) },
      ),
    );
  };
  return (
    <Dialog
      isOpen
      look="wide"
      onClose={onClose}
      title={words.title}
      description={type === "prod" ? words.text : `${words.text} ${words.mailbox}`}
      actions={
        <>
          <Button onClick={onClose}>{kitWords.close}</Button>
          <Button
            look="primary"
            icon="play"
            disabled={!person || !payload || test.isPending || draft.steps.length === 0}
            onClick={send}
          >
            {test.isPending ? words.sending : sent ? words.again : words.send}
          </Button>
        </>
      }
    >
      <div className={css.form}>
        {draft.steps.length === 0 && <Notice>{words.noSteps}</Notice>}
        {faulty.length > 0 && (
          <Notice tone="warn" icon="alert">
            {words.problems(faulty.join(", "))}
          </Notice>
        )}
        {refused.rest && <ErrorPanel error={refused.rest} />}
        {refused.steps.map((line) => (
          <p key={line} className={css.refused} role="alert">
            {line}
          </p>
        ))}
        <Field
          label={words.person}
          hint={isMe ? (me.isNew ? words.createsMe : undefined) : other ? undefined : words.choose}
          error={refused.person}
        >
          {({ id }) => (
            <span className={css.person}>
              <Select
                id={id}
                isWide
                name={words.person}
                value={isMe ? "me" : "other"}
                choices={[
                  { value: "me", label: words.me(me.email) },
                  { value: "other", label: words.other },
                ]}
                onChange={(value) => {
                  setMe(value === "me");
                  test.reset();
                }}
              />
              {!isMe && <SubscriberPicker label={words.otherLabel} subscriber={other} onChoose={setOther} />}
            </span>
          )}
        </Field>
        <div className={css.payload}>
          <CodeField
            label={words.payload}
            hint={words.payloadHint}
            language="json"
            text={text}
            isReadOnly={false}
            isAlone
            error={payload === null ? previewWords.badPayload(jsonFault(text)) : refused.payload}
            onChange={change}
          />
          <span className={css.use}>
            <Menu
              align="end"
              trigger={
                <Button size="small">
                  {words.use}
                  <Icon name="chevronDown" size={13} />
                </Button>
              }
              entries={payloadEntries(sample, change)}
            />
          </span>
        </div>
        {sent && <TestRun key={sent.transactionId} test={sent} />}
        {person && payload && (
          <TestCode workflowId={workflow.workflowId} subscriberId={person.subscriberId} payload={payload} />
        )}
      </div>
      {dialog}
    </Dialog>
  );
}

type Person = Subscriber & { to: WorkflowTestIn["to"] };

/** The signed-in member as a subscriber: the one with the same address, or one that the first test creates. */
function useMe(): { email: string; isNew: boolean; person: Person | undefined } {
  const { email } = useSession().person;
  const { data } = useOperation("subscribers.list", { query: { email, limit: 1 } });
  const found = data?.data.find((one) => one.email?.toLowerCase() === email.toLowerCase());
  if (!data) return { email, isNew: false, person: undefined };
  if (!found) {
    return { email, isNew: true, person: { subscriberId: email, name: email, to: { subscriberId: email, email } } };
  }
  const { subscriberId } = found;
  return { email, isNew: false, person: { subscriberId, name: nameOf(found), to: subscriberId } };
}

type Refused = { person?: string; payload?: string; steps: string[]; rest?: ApiError };

/** Where each part of a refusal belongs: next to the person, next to the payload, or above both. */
function readRefusal(error: unknown, draft: Draft): Refused {
  if (!error) return { steps: [] };
  const refusal = toApiError(error);
  const fields = Object.entries(refusal.fields);
  if (refusal.code === "SUBSCRIBER_NOT_FOUND") return { steps: [], person: refusal.message };
  if (refusal.code === "PAYLOAD_VALIDATION_ERROR") {
    return { steps: [], payload: fields.map(([field, message]) => `${field}: ${message}`).join(". ") };
  }
  const steps = fields.flatMap(([field, message]) => {
    const [, index] = /^(?:workflow\.)?steps\.(\d+)/.exec(field) ?? [];
    const step = index === undefined ? undefined : draft.steps[Number(index)];
    return step ? [`${step.name}: ${message}`] : [];
  });
  const of = (name: string) => fields.find(([field]) => field === name || field.startsWith(`${name}.`))?.[1];
  const told = { person: of("to"), payload: of("payload"), steps };
  return told.person || told.payload || steps.length > 0 ? told : { ...told, rest: refusal };
}
