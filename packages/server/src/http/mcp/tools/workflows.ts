// list_workflows, read_workflow and preview_content: what workflows there are, what they say and how it looks.
import { type Output, type StepIssues, workflowStatuses } from "@tidings/contract";
import { oneOf, openObject, Type } from "@tidings/contract/schema";
import { answerOf, block, id, jsonBlock, plural, quote, withoutRequestSecrets } from "../answer.ts";
import { limit, optional, payload, stepId, subscriberId, workflowId } from "../arguments.ts";
import { Refusal, readingTool } from "../tool.ts";

type Workflow = Output<"workflows.retrieve">;

const linkOf = (workflowId: string): string => `/workflows/${encodeURIComponent(workflowId)}`;

export const listWorkflows = readingTool({
  name: "list_workflows",
  title: "List workflows",
  description: "Lists the workflows of the environment with their status and steps.",
  operations: ["workflows.list"],
  input: {
    query: optional(Type.String({ minLength: 1, maxLength: 255, description: "Part of the name or identifier" })),
    status: optional(oneOf(workflowStatuses, { description: "`ERROR`: active, with issues" })),
    limit: optional(limit(100, 50)),
    cursor: optional(Type.String({ pattern: "^[0-9]{1,6}$", description: "From the end of the last answer" })),
  },
  run: async (host, { query, status, limit = 50, cursor = "0" }) => {
    const offset = Number(cursor);
    const { workflows, totalCount } = await host.call("workflows.list", {
      query: { query, status: status && [status], limit, offset, orderBy: "name", orderDirection: "ASC" },
    });
    const rest = totalCount - offset - workflows.length;
    return answerOf([
      `${plural(totalCount, "workflow")}${totalCount === 1 ? " fits" : " fit"}.`,
      ...workflows.map((one) => {
        const steps = one.stepTypeOverviews.join(", ") || "none";
        const last = one.lastTriggeredAt ? `last triggered ${one.lastTriggeredAt}` : "never triggered";
        return `${id(one.workflowId)} (${quote(one.name, 128)}): ${one.status}; steps: ${steps}; ${last}`;
      }),
      rest > 0 && `${rest} more: call again with cursor ${offset + workflows.length}`,
      host.linkTo("/workflows"),
    ]);
  },
});

const issuesOf = ({ controls = {}, integration = {} }: StepIssues = {}): string[] =>
  [...Object.values(controls), ...Object.values(integration)]
    .flat()
    .slice(0, 10)
    .map(({ severity, message }) => `   ${severity}: ${quote(message)}`);

const shownControls = ({ type, controls }: Workflow["steps"][number]) =>
  type === "http_request" ? withoutRequestSecrets(controls.values) : controls.values;

const stepLines = (step: Workflow["steps"][number], index: number): string[] => [
  `${index + 1}. Step ${id(step.stepId)} (${step.type}, ${quote(step.name, 128)})${step.active ? "" : ", inactive"}${step.arm ? `, on arm ${quote(step.arm)}` : ""}:`,
  ...issuesOf(step.issues),
  jsonBlock("Control values", shownControls(step), 3_000),
];

export const readWorkflow = readingTool({
  name: "read_workflow",
  title: "Read a workflow",
  description: "Shows a workflow: status, settings, preferences, and each step with its content and conditions.",
  operations: ["workflows.retrieve"],
  input: { workflowId },
  run: async (host, { workflowId }) => {
    const workflow = await host.call("workflows.retrieve", { params: { workflowId } });
    const { all, channels = {} } = workflow.preferences.user ?? workflow.preferences.default;
    const off = Object.entries(channels).flatMap(([channel, one]) => (one?.enabled === false ? [channel] : []));
    const facts = [
      workflow.categoryId && `category ${id(workflow.categoryId)}`,
      workflow.messageClass && `class ${workflow.messageClass}`,
      workflow.priority && `priority ${workflow.priority}`,
      workflow.outsideSchedule && `outside of a person's hours: ${workflow.outsideSchedule}`,
      all?.readOnly && "critical: nobody can turn it off",
    ];
    return answerOf([
      `Workflow ${id(workflow.workflowId)} (${quote(workflow.name, 128)}): ${workflow.status}${workflow.active ? "" : ", its events are refused"}.`,
      workflow.description && `Description: ${quote(workflow.description)}`,
      `Settings: ${facts.filter(Boolean).join("; ") || "defaults"}.`,
      off.length > 0 && `Turned off by default: ${off.join(", ")}.`,
      `Changed ${workflow.updatedAt}. ${workflow.lastTriggeredAt ? `Last triggered ${workflow.lastTriggeredAt}.` : "Never triggered."}`,
      ...workflow.steps.flatMap(stepLines),
      workflow.payloadSchema && jsonBlock("Payload schema", workflow.payloadSchema, 3_000),
      host.linkTo(linkOf(workflow.workflowId)),
    ]);
  },
});

export const previewContent = readingTool({
  name: "preview_content",
  title: "Preview content",
  description:
    "Renders the content of a step for a person and a payload, as an event would, with template errors and, for emails, what to look at. With controlValues, unsaved content is rendered.",
  operations: ["workflows.preview", "workflows.retrieve"],
  input: {
    workflowId,
    stepId,
    subscriberId: optional(subscriberId),
    payload: optional(payload),
    controlValues: optional(openObject({ maxJsonBytes: 131_072, description: "Instead of the saved ones" })),
    locale: optional(Type.String({ minLength: 1, maxLength: 35, description: "Instead of the person's language" })),
    withHtml: optional(Type.Boolean({ default: false, description: "The HTML of an email instead of its text" })),
  },
  run: async (host, { workflowId, stepId, controlValues, withHtml = false, ...rest }) => {
    const workflow = await host.call("workflows.retrieve", { params: { workflowId } });
    const step = workflow.steps.find((one) => one.stepId === stepId);
    if (!step)
      throw new Refusal(
        `Workflow ${id(workflowId)} has no step ${id(stepId)}. Its steps: ${workflow.steps.map((one) => id(one.stepId)).join(", ")}`,
      );
    const { type } = step;
    const body = { step: { type, stepId, controlValues: controlValues ?? step.controls.values }, workflowId, ...rest };
    const { result, faults, checks = [] } = (await host.call("workflows.preview", { body })).data;
    const content = withHtml ? (result.html ?? result.body) : (result.text ?? result.body ?? result.html);
    return answerOf([
      `Preview of step ${id(stepId)} (${type}) of workflow ${id(workflowId)} for ${rest.subscriberId ? id(rest.subscriberId) : "a sample person"}. Nothing was sent.`,
      ...faults
        .slice(0, 20)
        .map((one) => `Error in ${id(one.field)}${one.line ? `, line ${one.line}` : ""}: ${quote(one.message)}`),
      result.subject !== undefined && `Subject: ${quote(result.subject)}`,
      result.preheader && `Preheader: ${quote(result.preheader)}`,
      content === undefined ? faults.length === 0 && "The step sends nothing." : block("Content", content, 8_000),
      ...checks.slice(0, 20).map((one) => `${one.severity} (${one.code}): ${quote(one.message)}`),
      host.linkTo(linkOf(workflowId)),
    ]);
  },
});
