// Branches. A step of the type `branch` has arms, each with a condition; the steps behind it that belong to an arm name
// it in their member `arm` as `<stepId of the branch>/<id of the arm>`. The list of steps stays flat and ordered, and a
// branch inside an arm is a step of that arm. Servers and editors use the same rules for the places of steps.

/** The arm that is taken when no other is; every branch has it, and it needs no entry among its arms. */
export const elseArm = "else";

/** Branches inside each other. */
export const maxArmDepth = 3;

export type Arm = { id: string; name?: string; condition?: unknown };

export type PlacedStep = { stepId: string; type: string; arm?: string; controlValues?: Record<string, unknown> };

/** The arms that a branch step defines, without those that are not complete enough to be named. */
export function armsOf({ controlValues }: Pick<PlacedStep, "controlValues">): Arm[] {
  const arms = controlValues?.arms;
  return Array.isArray(arms) ? arms.filter((arm): arm is Arm => typeof arm?.id === "string") : [];
}

export type ArmName = { branch: string; arm: string };

export function readArm(arm: string): ArmName {
  const at = arm.indexOf("/");
  return at < 0 ? { branch: arm, arm: "" } : { branch: arm.slice(0, at), arm: arm.slice(at + 1) };
}

export const armName = (branch: string, arm: string): string => `${branch}/${arm}`;

/** The arms around a step, the innermost first. Ends at a branch that does not exist or comes later. */
export function armsAround(steps: readonly PlacedStep[], index: number): ArmName[] {
  const found: ArmName[] = [];
  for (let at = index; at >= 0; ) {
    const { arm } = steps[at]!;
    if (arm === undefined) break;
    const name = readArm(arm);
    found.push(name);
    at = steps.slice(0, at).findLastIndex(({ stepId }) => stepId === name.branch);
  }
  return found;
}

/**
 * The steps before this one that can have run when it runs: not those of other arms of a branch around it, but those of
 * branches that ended before it.
 */
export function earlierSteps<S extends PlacedStep>(steps: readonly S[], index: number): S[] {
  const around = index in steps ? armsAround(steps, index) : [];
  const own = new Map(around.map(({ branch, arm }) => [branch, arm]));
  return steps.filter(
    (_, at) => at < index && armsAround(steps, at).every(({ branch, arm }) => (own.get(branch) ?? arm) === arm),
  );
}

export type ArmFault = { index: number; message: string };

/** Why steps cannot have the places that they name: one reason for a step. */
export function armFaults(steps: readonly PlacedStep[]): ArmFault[] {
  /** The arms of each branch that other steps followed on. */
  const left = new Set<string>();
  return steps.flatMap(({ arm }, index): ArmFault[] => {
    const message = arm === undefined ? null : (placeFault(steps, index, arm) ?? orderFault(steps, index, left));
    const before = index > 0 ? armsAround(steps, index - 1) : [];
    const here = new Set(armsAround(steps, index).map(({ branch, arm: id }) => armName(branch, id)));
    for (const { branch, arm: id } of before) if (!here.has(armName(branch, id))) left.add(armName(branch, id));
    return message === null ? [] : [{ index, message }];
  });
}

function placeFault(steps: readonly PlacedStep[], index: number, arm: string): string | null {
  const { branch, arm: id } = readArm(arm);
  const at = steps.slice(0, index).findLastIndex(({ stepId }) => stepId === branch);
  const step = steps[at];
  if (!step) {
    const isLater = steps.slice(index).some(({ stepId }) => stepId === branch);
    return isLater
      ? `the branch ${branch} must come before the steps of its arms`
      : `there is no step ${branch}; write the stepId of a branch step, a slash and the id of one of its arms`;
  }
  if (step.type !== "branch") return `the step ${branch} is not a branch`;
  const ids = [...armsOf(step).map((one) => one.id), elseArm];
  if (!ids.includes(id)) return `the branch ${branch} has no arm ${id || "without an id"}; it has ${ids.join(", ")}`;
  return armsAround(steps, index).length > maxArmDepth
    ? `branches can be inside each other ${maxArmDepth} deep, and this one is deeper`
    : null;
}

/** The steps of a branch follow it without other steps between them, and so do those of each arm. */
function orderFault(steps: readonly PlacedStep[], index: number, left: ReadonlySet<string>): string | null {
  const { branch, arm } = readArm(steps[index]!.arm!);
  const before = steps[index - 1]!;
  const isInside = before.stepId === branch || armsAround(steps, index - 1).some((one) => one.branch === branch);
  if (!isInside) return `the step ${before.stepId} before it does not belong to the branch ${branch}: move it`;
  return left.has(armName(branch, arm))
    ? `the steps of the arm ${arm} must follow each other: a step of another arm is between them`
    : null;
}
