// Who would match a condition: counted over people of the environment, with a sample payload.
import type { CallInput, JsonObject } from "@tidings/contract";
import { useState } from "react";
import { useOperation } from "../api/hooks.ts";
import { Button } from "../kit/inputs/button.tsx";
import { useSettled } from "../kit/use-settled.ts";
import css from "./conditions.module.css";
import { words } from "./words.ts";

const say = words.condition.match;

type ConditionMatchProps = {
  rule: JsonObject;
  meaning: "skip" | "met";
  payload: JsonObject | null;
  workflowId?: string;
};

export function ConditionMatch(props: ConditionMatchProps) {
  const [isOpen, setOpen] = useState(false);
  if (isOpen) return <Count {...props} />;
  return (
    <div className={css.conditionActions}>
      <Button size="small" look="plain" icon="users" onClick={() => setOpen(true)}>
        {say.ask}
      </Button>
    </div>
  );
}

function Count({ rule, meaning, payload, workflowId }: ConditionMatchProps) {
  const as = meaning === "skip" ? "skip" : "condition";
  // As text: another object with the same content does not count as a change.
  const settled = useSettled(JSON.stringify({ condition: rule, as, payload: payload ?? {}, workflowId }), 400);
  const body: CallInput<"subscribers.match">["body"] = JSON.parse(settled);
  const { data, error } = useOperation("subscribers.match", { body }, { keep: true, staleTime: 30_000 });
  if (error) return <p className={css.error}>{error.message}</p>;
  if (!data) return <p className={css.weak}>{say.counting}</p>;
  const { sampled, matched, failed, fault, matching, others } = data.data;
  const isSkip = meaning === "skip";
  const yes = isSkip ? sampled - matched - failed : matched;
  const examples = isSkip ? others : matching;
  return (
    <div className={css.match} role="status">
      <strong>{sampled === 0 ? say.nobody : isSkip ? say.runs(yes, sampled) : say.matches(yes, sampled)}</strong>
      {examples.length > 0 && <span className={css.weak}>{say.examples(examples.map(({ name }) => name))}</span>}
      {failed > 0 && <span className={css.error}>{say.failed(failed, fault ?? "")}</span>}
    </div>
  );
}
