// The rules of one subscription, in order: which workflows, and whether the subscriber gets them.
import type { SubscriberRef } from "@tidings/contract";
import { useState } from "react";
import { useChange, useOperation } from "../../api/hooks.ts";
import { useMay } from "../../api/permissions.ts";
import { useEnvironment } from "../../api/session.tsx";
import { ConditionBuilder } from "../../fields/condition-builder.tsx";
import { Stack } from "../../kit/data/list.tsx";
import { ErrorPanel, Skeleton } from "../../kit/feedback/states.tsx";
import { Button, IconButton } from "../../kit/inputs/button.tsx";
import { choicesOf } from "../../kit/inputs/choices.ts";
import { Field } from "../../kit/inputs/field.tsx";
import { Select } from "../../kit/inputs/select.tsx";
import { Dialog } from "../../kit/overlays/dialog.tsx";
import { showToast } from "../../kit/overlays/toast.tsx";
import { words as kitWords } from "../../words.ts";
import { effectOf, keyOf, newRule, type Rule, targetFrom, targetOf, withEffect, withTarget } from "./rules.ts";
import css from "./topics.module.css";
import { words } from "./words.ts";

const say = words.rules;

type RulesDialogProps = {
  topicKey: string;
  subscription: { identifier: string; subscriber: SubscriberRef };
  onClose: () => void;
};

export function RulesDialog({ topicKey, subscription: { identifier, subscriber }, onClose }: RulesDialogProps) {
  const params = { topicKey, identifier };
  const { data, error } = useOperation("topicSubscriptions.retrieve", { params }, { staleTime: 0 });
  const [draft, setDraft] = useState<Rule[] | null>(null);
  const save = useChange("topicSubscriptions.update", ["topicSubscriptions.retrieve", "topicSubscriptions.list"]);
  const isReadOnly = !useMay()("topicSubscriptions.update");
  const { type, name } = useEnvironment();
  const rules = draft ?? data?.rules ?? [];
  const submit = () =>
    save.mutate(
      { params, body: { preferences: rules } },
      {
        onSuccess: () => {
          showToast({ title: say.saved });
          onClose();
        },
      },
    );
  const replace = (index: number, rule: Rule) => setDraft(rules.with(index, rule));
  return (
    <Dialog
      isOpen
      look="wide"
      onClose={onClose}
      title={say.title(subscriber.subscriberId)}
      description={type === "prod" && draft ? `${say.text} ${kitWords.confirm.production(name)}` : say.text}
      actions={
        <>
          <Button onClick={onClose}>{kitWords.cancel}</Button>
          {!isReadOnly && (
            <Button look="primary" disabled={!draft || save.isPending} onClick={submit}>
              {kitWords.save}
            </Button>
          )}
        </>
      }
    >
      <Stack>
        {(error ?? save.error) && <ErrorPanel error={error ?? save.error} />}
        {!data && !error && <Skeleton rows={3} />}
        {data && rules.length === 0 && <p className={css.weak}>{say.none}</p>}
        {data && (
          <ol className={css.rules}>
            {rules.map((rule, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: rules have no identity but their place
              <li key={index}>
                <RuleFields
                  rule={rule}
                  number={index + 1}
                  isReadOnly={isReadOnly}
                  onChange={(next) => replace(index, next)}
                  onUp={
                    index === 0 ? undefined : () => setDraft(rules.with(index - 1, rule).with(index, rules[index - 1]!))
                  }
                  onRemove={() => setDraft(rules.toSpliced(index, 1))}
                />
              </li>
            ))}
          </ol>
        )}
        {data && !isReadOnly && (
          <div>
            <Button size="small" icon="plus" onClick={() => setDraft([...rules, newRule()])}>
              {say.add}
            </Button>
          </div>
        )}
      </Stack>
    </Dialog>
  );
}

const variables = ["payload.", "subscriber.firstName", "subscriber.locale", "subscriber.data.", "workflow.name"];

type RuleFieldsProps = {
  rule: Rule;
  number: number;
  isReadOnly: boolean;
  onChange: (rule: Rule) => void;
  onUp?: () => void;
  onRemove: () => void;
};

function RuleFields({ rule, number, isReadOnly, onChange, onUp, onRemove }: RuleFieldsProps) {
  const { data } = useOperation("workflows.list", { query: { limit: 100, orderBy: "name", orderDirection: "ASC" } });
  const target = targetOf(rule);
  const effect = effectOf(rule);
  const workflows = data?.workflows ?? [];
  const tags = [...new Set(workflows.flatMap((workflow) => workflow.tags ?? []))];
  const known = [
    { value: "all", label: say.all },
    ...workflows.map(({ workflowId, name }) => ({ value: `workflow ${workflowId}`, label: name })),
    ...tags.map((tag) => ({ value: `tag ${tag}`, label: say.tag(tag) })),
  ];
  const chosen = keyOf(target);
  const missing = { value: chosen, label: "name" in target ? target.name : say.other };
  return (
    <section className={css.rule} aria-label={say.rule(number)}>
      <div className={css.ruleHead}>
        <strong>{say.rule(number)}</strong>
        {!isReadOnly && onUp && <IconButton label={say.up(number)} icon="arrowUp" size="small" onClick={onUp} />}
        {!isReadOnly && <IconButton label={say.removeRule(number)} icon="trash" size="small" onClick={onRemove} />}
      </div>
      <div className={css.pair}>
        <Field label={say.which}>
          {({ id }) => (
            <Select
              id={id}
              name={say.which}
              isWide
              value={chosen}
              choices={known.some(({ value }) => value === chosen) ? known : [missing, ...known]}
              disabled={isReadOnly}
              onChange={(key) => onChange(withTarget(rule, targetFrom(key)))}
            />
          )}
        </Field>
        <Field label={say.effect}>
          {({ id }) => (
            <Select
              id={id}
              name={say.effect}
              isWide
              value={effect}
              choices={choicesOf(say.effects)}
              disabled={isReadOnly}
              onChange={(next) => onChange(withEffect(rule, next))}
            />
          )}
        </Field>
      </div>
      {effect === "condition" && (
        <ConditionBuilder
          rule={rule.condition}
          none={say.variables}
          meaning="met"
          variables={variables}
          isReadOnly={isReadOnly}
          onChange={(condition) => onChange(condition ? { ...rule, condition } : withEffect(rule, "default"))}
        />
      )}
    </section>
  );
}
