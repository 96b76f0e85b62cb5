// The keys of texts that the templates of a workflow or layout use.
import type { Input, Output } from "@tidings/contract";
import type { Caller, Ctx } from "../../../context.ts";
import { isObject, type JsonObject } from "../../../lib/json.ts";
import { pauseIfDue } from "../../../lib/load/pauses.ts";
import { blockTemplate, isBlockBody } from "../../../pipeline/render/blocks.ts";
import { RenderError } from "../../../pipeline/render/liquid.ts";
import { templatesIn } from "../issues/step-issues.ts";
import { membersOf } from "../issues/template-names.ts";
import { requireLayout } from "../layouts.ts";
import { requirePathOwner } from "../translations.ts";
import { requireWorkflow } from "../workflows.ts";

type Place = { name: string; values: JsonObject };

export async function listKeys(
  ctx: Ctx,
  caller: Caller,
  { params }: Input<"translations.listKeys">,
): Promise<Output<"translations.listKeys">> {
  const owner = await requirePathOwner(ctx, caller, params);
  const places =
    owner.type === "workflow" ? await stepsOf(ctx, caller, owner.id) : await layoutOf(ctx, caller, owner.id);
  const found = new Map<string, Set<string>>();
  for (const { name, values } of places) {
    for (const [field, template] of templatesOf(values)) {
      await pauseIfDue();
      for (const key of keysIn(template)) {
        const at = found.get(key) ?? new Set();
        found.set(key, at.add(`${name}: ${field}`));
      }
    }
  }
  return { data: [...found].map(([key, at]) => ({ key, places: [...at] })).sort((a, b) => (a.key < b.key ? -1 : 1)) };
}

async function stepsOf(ctx: Ctx, { environmentId }: Caller, id: string): Promise<Place[]> {
  const { steps } = await requireWorkflow(ctx, environmentId, id);
  return steps.map(({ name, controlValues }) => ({ name, values: controlValues }));
}

async function layoutOf(ctx: Ctx, { environmentId }: Caller, id: string): Promise<Place[]> {
  const { name, control_values } = await requireLayout(ctx, environmentId, id);
  return [{ name, values: control_values }];
}

/** Every text with its path; a block document as the template that it becomes. */
function* templatesOf(values: JsonObject): Generator<[string, string]> {
  for (const [field, text] of templatesIn(values)) {
    const { editorType } = isObject(values.email) && field.startsWith("email.") ? values.email : values;
    const isBlocks = (field === "body" || field === "email.body") && isBlockBody(editorType, text);
    yield [field, isBlocks ? compiled(text) : text];
  }
}

/** A document or a template with an error has no keys that could be known. */
function compiled(body: string): string {
  try {
    return blockTemplate(body);
  } catch (error) {
    if (error instanceof RenderError) return "";
    throw error;
  }
}

function keysIn(template: string): string[] {
  try {
    return membersOf(template, "t");
  } catch {
    return [];
  }
}
