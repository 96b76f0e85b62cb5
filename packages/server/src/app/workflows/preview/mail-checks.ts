// The checks of a previewed email: what they need to know beyond the mail itself is looked up here.
import type { MailCheck, PreviewResult } from "@tidings/contract";
import type { Ctx } from "../../../context.ts";
import { isObject, type JsonObject } from "../../../lib/json.ts";
import { suggestName } from "../../../lib/text/nearest.ts";
import { blockTemplate, isBlockBody } from "../../../pipeline/render/blocks.ts";
import { checkMail } from "../../../pipeline/render/checks/mail-checks.ts";
import { watchOutputs } from "../../../pipeline/render/checks/watched-outputs.ts";
import { RenderError } from "../../../pipeline/render/liquid.ts";
import { isCritical } from "../../../pipeline/rules/preferences.ts";
import { findAssetSizes } from "../../../store/assets/assets.ts";
import type { WorkflowRow } from "../../../store/workflows/workflows.ts";
import { unknownNames } from "../issues/template-names.ts";
import { workflowLevels } from "../workflow-view.ts";

type PreviewedMail = {
  values: JsonObject;
  result: PreviewResult;
  /** Renders every field once more; what each of them wrote is watched. */
  renderAll: () => void;
  /** JSON Schema of what the step may use; null where it is not known. */
  variables: JsonObject | null;
  workflow: WorkflowRow | null;
};

export async function checkPreview(ctx: Ctx, environmentId: string, mail: PreviewedMail): Promise<MailCheck[]> {
  const { subject = "", html = "", text = "" } = mail.result;
  return checkMail({
    subject,
    html,
    text,
    isSubjectKnown: mail.result.subject !== undefined,
    isBodyKnown: mail.result.html !== undefined,
    isCritical: mail.workflow !== null && isCritical(workflowLevels(mail.workflow)),
    isBlocks: isBlockBody(mail.values.editorType, String(mail.values.body ?? "")),
    empty: watchOutputs(mail.renderAll).empty,
    unknownNames: mail.variables ? namesOutside(mail.values, mail.variables) : [],
    imageSizes: await sizesOfImages(ctx, environmentId, html),
  });
}

const templateFields = ["subject", "preheader", "text", "senderName", "replyTo", "cc", "bcc"] as const;

function namesOutside(values: JsonObject, variables: JsonObject) {
  const templates = [...templateFields.map((field) => values[field]), bodyTemplate(values)];
  const names = templates.flatMap((template) => (typeof template === "string" ? safeNames(template, variables) : []));
  return [...new Set(names)].map((name) => ({ name, meant: meantBy(name, variables) }));
}

/** A template that does not parse has its own error. */
function safeNames(template: string, variables: JsonObject): string[] {
  try {
    return unknownNames(template, variables);
  } catch {
    return [];
  }
}

function bodyTemplate({ body, editorType }: JsonObject): string {
  if (typeof body !== "string" || !isBlockBody(editorType, body)) return String(body ?? "");
  try {
    return blockTemplate(body);
  } catch (error) {
    if (error instanceof RenderError) return "";
    throw error;
  }
}

/** The nearest name among those next to it in the schema. */
function meantBy(name: string, variables: JsonObject): string | null {
  const path = name.split(".");
  const last = path.pop()!;
  const around = path.reduce<unknown>((schema, part) => propertiesOf(schema)[part], variables);
  const meant = suggestName(last, Object.keys(propertiesOf(around)));
  return meant === null ? null : [...path, meant].join(".");
}

const propertiesOf = (schema: unknown): JsonObject =>
  isObject(schema) && isObject(schema.properties) ? schema.properties : {};

/** Images of one mail that are looked up. */
const maxImages = 100;

async function sizesOfImages(ctx: Ctx, environmentId: string, html: string): Promise<Map<string, number>> {
  const pattern = new RegExp(`[^"'\\s]*/assets/${environmentId}/([\\da-f]{64})\\.[a-z]+`, "g");
  const addresses = [...html.matchAll(pattern)]
    .slice(0, maxImages)
    .map(([address, hash]) => ({ address, hash: hash! }));
  const found = await findAssetSizes(ctx.db, environmentId, [...new Set(addresses.map(({ hash }) => hash))]);
  const sizes = new Map(found.map(({ hash, size }) => [hash, size]));
  return new Map(addresses.flatMap(({ address, hash }) => (sizes.has(hash) ? [[address, sizes.get(hash)!]] : [])));
}
