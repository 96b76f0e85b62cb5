// What to check before resources are published: errors in their own content, and what the target lacks for them.
// Nothing here refuses a publish; the dashboard leaves resources with an error out of the selection until a person has
// seen it.
import { channels, type PublishCheck, type StepType } from "@tidings/contract";
import type { Ctx } from "../../context.ts";
import { defaultLocale } from "../../lib/locale.ts";
import type { EnvironmentRow } from "../../store/environments/environments.ts";
import type { Publishable } from "../../store/environments/publishing.ts";
import type { LayoutRow } from "../../store/workflows/layouts.ts";
import { layoutErrors } from "../files/resource-errors.ts";
import { withWorkflows } from "../workflows/issues/effect-issues.ts";
import type { IssueFacts } from "../workflows/issues/step-issues.ts";
import { keysOf } from "../workflows/translations.ts";
import { issuesOf } from "../workflows/workflow-view.ts";
import { viewFacts } from "../workflows/workflows.ts";
import type { Compared, Item } from "./environment-diff.ts";

const maxChecks = 20;
const maxKeys = 3;

type Ends = { target: EnvironmentRow; from: Publishable; to: Publishable };
type Known = Ends & {
  facts: IssueFacts;
  changedLayouts: ReadonlySet<string>;
  /** The present workflows of the target. */
  findTargetStarts: IssueFacts["findStarts"];
};

/** By type and identifier; resources that only the target has, and those without anything to see to, are left out. */
export async function findPublishChecks(
  ctx: Ctx,
  compared: readonly Compared[],
  ends: Ends,
): Promise<ReadonlyMap<string, PublishCheck[]>> {
  const found = new Map<string, PublishCheck[]>();
  const brought = compared.flatMap(({ source }) => (source?.type === "layout" ? [source.row] : []));
  const workflows = compared.flatMap(({ source }) => (source?.type === "workflow" ? [source.row] : []));
  const audienceIds = compared.flatMap(({ source }) => (source?.type === "audience" ? [source.identifier] : []));
  const target = await viewFacts(ctx, ends.target.id);
  const facts = {
    ...target,
    layouts: [...ends.to.layouts, ...brought],
    findStarts: async () => withWorkflows((await target.findStarts()) ?? new Map(), workflows),
    findAudiences: async () => new Set([...((await target.findAudiences()) ?? []), ...audienceIds]),
  };
  const changedLayouts = new Set(brought.map(({ layout_id }) => layout_id));
  for (const { source } of compared) {
    if (source?.type !== "workflow" && source?.type !== "layout") continue;
    const known = { ...ends, facts, changedLayouts, findTargetStarts: target.findStarts };
    const checks = await checksOf(source, known);
    const sorted = checks.sort((a, b) => Number(b.isFault) - Number(a.isFault)).slice(0, maxChecks);
    if (sorted.length > 0) found.set(`${source.type} ${source.identifier}`, sorted);
  }
  return found;
}

async function checksOf(item: LayoutItem | WorkflowItem, known: Known): Promise<PublishCheck[]> {
  if (item.type === "layout") {
    const faults = (await layoutErrors(item.row, known.facts)).map(({ message }) =>
      fault("FAULTY_CONTENT", inTarget(message, known.target)),
    );
    return [...faults, ...missingTexts(item)];
  }
  if (item.steps.length === 0)
    return [fault("NO_STEPS", "It has no steps: events are accepted, and nobody gets anything")];
  return [
    ...(await faultsOf(item, known)),
    ...lackedChannels(item, known),
    ...otherLayouts(item, known),
    ...(await missingStarts(item, known)),
    ...missingTexts(item),
  ];
}

type WorkflowItem = Extract<Item, { type: "workflow" }>;
type LayoutItem = Extract<Item, { type: "layout" }>;

const fault = (code: PublishCheck["code"], message: string): PublishCheck => ({ code, isFault: true, message });
const note = (code: PublishCheck["code"], message: string): PublishCheck => ({ code, isFault: false, message });

/** Errors in the content of its steps. That the target has no integration is not an error of the workflow. */
async function faultsOf(item: WorkflowItem, known: Known): Promise<PublishCheck[]> {
  const steps = item.steps.map((step) => ({ ...step, id: step.stepId }));
  const issues = await issuesOf({ ...item.row, steps }, known.facts);
  return issues.flatMap((one, index) => {
    const { name, stepId } = steps[index]!;
    return Object.values(one?.controls ?? {})
      .flat()
      .filter(({ severity }) => severity === "error")
      .map(({ message }) => ({ ...fault("FAULTY_CONTENT", `${name}: ${inTarget(message, known.target)}`), stepId }));
  });
}

/** A variable that is not set is one of the target. */
export const inTarget = (message: string, { name }: Pick<EnvironmentRow, "name">): string =>
  message.replace("has no value in this environment", `has no value in ${name}`);

const channelNames: Partial<Record<StepType, string>> = {
  in_app: "in-app messages",
  email: "email",
  sms: "SMS",
  chat: "chat",
  push: "push",
};

function lackedChannels({ steps }: WorkflowItem, { facts, target }: Known): PublishCheck[] {
  const used = channels.filter((channel) => steps.some(({ type, active }) => type === channel && active));
  return used.flatMap((channel): PublishCheck[] => {
    if (!facts.activeChannels.has(channel))
      return [note("MISSING_INTEGRATION", `${target.name} has no active integration for ${channelNames[channel]}`)];
    if (channel === "in_app" && !facts.isInboxConnected)
      return [note("INBOX_NOT_CONNECTED", `No inbox has asked ${target.name} for its notifications yet`)];
    return [];
  });
}

/**
 * Layouts of its emails that are other ones in the target. One that a step names and the target lacks is a dependency.
 */
function otherLayouts({ steps }: WorkflowItem, { from, to, target, changedLayouts }: Known): PublishCheck[] {
  const mails = steps.filter(({ type }) => type === "email");
  const named = new Set(mails.map(({ controlValues }) => controlValues.layoutId));
  const inTarget = (layout: LayoutRow) => to.layouts.some(({ layout_id }) => layout_id === layout.layout_id);
  const differing = from.layouts
    .filter((layout) => named.has(layout.layout_id) && inTarget(layout) && changedLayouts.has(layout.layout_id))
    .map((layout) => ({
      ...note("LAYOUT_DIFFERS", `It uses the layout ${layout.name}, which is another one in ${target.name}`),
      layoutId: layout.layout_id,
    }));
  return named.has(undefined) ? [...differing, ...otherDefault(from, to, target, changedLayouts)] : differing;
}

function otherDefault(
  from: Publishable,
  to: Publishable,
  target: EnvironmentRow,
  changedLayouts: ReadonlySet<string>,
): PublishCheck[] {
  const [own, theirs] = [from, to].map(({ layouts }) => layouts.find(({ is_default }) => is_default));
  if (!own) return [];
  if (theirs && theirs.layout_id !== own.layout_id)
    return [note("LAYOUT_DIFFERS", `The default layout of ${target.name} is ${theirs.name}, not ${own.name}`)];
  if (!changedLayouts.has(own.layout_id)) return [];
  const message = theirs
    ? `It uses the default layout ${own.name}, which is another one in ${target.name}`
    : `It uses the default layout ${own.name}, which ${target.name} does not have`;
  return [{ ...note("LAYOUT_DIFFERS", message), layoutId: own.layout_id }];
}

/** Workflows that its steps start and the target lacks, each once. */
async function missingStarts({ steps }: WorkflowItem, { findTargetStarts, target }: Known): Promise<PublishCheck[]> {
  const starting = steps.filter(({ type }) => type === "start_workflow");
  const present = starting.length > 0 ? await findTargetStarts() : null;
  const missing = starting.filter(({ controlValues: { workflowId } }) => !present?.has(String(workflowId)));
  return [...new Map(missing.map((step) => [step.controlValues.workflowId, step])).values()].map(
    ({ stepId, controlValues: { workflowId } }) => ({
      ...note("MISSING_WORKFLOW", `It starts the workflow ${workflowId}, which ${target.name} does not have yet`),
      stepId,
    }),
  );
}

function missingTexts({ row, texts }: LayoutItem | WorkflowItem): PublishCheck[] {
  if (!row.is_translation_enabled) return [];
  const { [defaultLocale]: reference = {}, ...others } = texts;
  const wanted = keysOf(reference);
  return Object.entries(others).flatMap(([locale, content]): PublishCheck[] => {
    const own = new Set(keysOf(content));
    const missing = wanted.filter((key) => !own.has(key));
    if (missing.length === 0) return [];
    const more = missing.length > maxKeys ? ` and ${missing.length - maxKeys} more` : "";
    const names = `${missing.slice(0, maxKeys).join(", ")}${more}`;
    return [note("MISSING_TRANSLATION", `Texts are missing in ${locale}: ${names}`)];
  });
}
