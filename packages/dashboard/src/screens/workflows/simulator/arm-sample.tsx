// How many people of the environment would take each arm of the branches, and be in each variant of the experiments.
import { useOperation } from "../../../api/hooks.ts";
import { Icon } from "../../../icons.tsx";
import { ErrorPanel } from "../../../kit/feedback/states.tsx";
import { useSettled } from "../../../kit/use-settled.ts";
import { stepIcons } from "../../../steps/facts.gen.ts";
import { type DraftStep, toDryRun } from "../editor/model.ts";
import type { Editor } from "../editor/use-editor.ts";
import { treeOf } from "../flow/tree.ts";
import { heldOutVariant, variantsOf } from "../forms/variants.ts";
import type { Sample } from "../preview/use-sample.ts";
import css from "./simulator.module.css";
import { words } from "./words.ts";

const say = words.arms;

export function ArmSample({ editor, sample }: { editor: Editor; sample: Sample }) {
  const deciding = editor.draft.steps.filter(({ type }) => type === "branch" || type === "experiment");
  return deciding.length > 0 && <Counts editor={editor} sample={sample} deciding={deciding} />;
}

type CountsProps = { editor: Editor; sample: Sample; deciding: readonly DraftStep[] };

function Counts({ editor, sample: { payload, assume }, deciding }: CountsProps) {
  const { draft, workflow } = editor;
  // As text: another object with the same content does not count as a change.
  const settled = useSettled(
    JSON.stringify({ workflow: toDryRun(draft, workflow.workflowId), payload: payload ?? {}, assume }),
    600,
  );
  const { data, error } = useOperation(
    "explain.sampleArms",
    { body: JSON.parse(settled) },
    { keep: true, staleTime: 15_000 },
  );
  const sampled = data?.data.sampled ?? 0;
  const countOf = (stepId: string, id: string) =>
    data?.data.steps.find((step) => step.stepId === stepId)?.taken.find((one) => one.id === id)?.count ?? 0;
  return (
    <section className={css.arms} aria-label={say.title}>
      <h2>{say.title}</h2>
      <p className={css.weak}>{say.text}</p>
      {error && <ErrorPanel error={error} />}
      {!data && !error && <p className={css.weak}>{say.counting}</p>}
      {data && sampled === 0 && <p className={css.weak}>{say.nobody}</p>}
      {sampled > 0 && (
        <ul className={css.arms}>
          {deciding.map((step) => (
            <li key={step.key}>
              <strong className={css.deciding}>
                <Icon name={stepIcons[step.type]} size={14} />
                {step.name}
              </strong>
              <ul className={css.ways}>
                {waysOf(step, countOf(step.stepId, heldOutVariant) > 0).map(({ id, name }) => {
                  const count = countOf(step.stepId, id);
                  return (
                    <li key={id} className={css.way}>
                      <span>{name}</span>
                      <meter min={0} max={sampled} value={count} aria-label={name} />
                      <span className={css.weak}>
                        {step.type === "branch" ? say.arm(count, sampled) : say.variant(count, sampled)}
                      </span>
                    </li>
                  );
                })}
              </ul>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function waysOf(step: DraftStep, hasHeldOut: boolean): { id: string; name: string }[] {
  if (step.type === "branch") return treeOf([step])[0]!.arms;
  const variants = variantsOf(step.controlValues).map(({ id, name }) => ({ id, name: name || id }));
  return hasHeldOut ? [...variants, { id: heldOutVariant, name: say.heldOut }] : variants;
}
