// The name of an arm, and when it is taken.
import { elseArm } from "@tidings/contract/arms";
import { conditionText } from "@tidings/contract/conditions";
import type { DraftStep } from "../editor/model.ts";
import { words } from "../editor/words.ts";
import { type ArmNode, armRule } from "../flow/tree.ts";
import css from "./outline.module.css";

const say = words.outline;

export function ArmSentence({ arm, branch }: { arm: ArmNode; branch: DraftStep }) {
  const rule = armRule(branch, arm.id);
  const isElse = arm.id === elseArm;
  const when = isElse ? say.elseWhen : rule ? say.when(conditionText(rule)) : say.noCondition;
  return (
    <span className={css.sentence} title={when}>
      <strong>{arm.name}</strong>
      <span data-missing={!isElse && !rule}>{when}</span>
    </span>
  );
}
