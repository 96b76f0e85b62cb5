// Sender name, reply address and copies that the controls of an email step name. They mean the same as the members of
// an event's override with these names, which come first.
import type { JsonObject } from "../../lib/json.ts";
import { RenderError } from "../render/liquid.ts";
import { renderLine } from "../render/mail-body.ts";
import {
  type EmailControls,
  mailFields,
  maxAddresses,
  OverrideError,
  readEmailControls,
} from "../rules/override-fields.ts";
import type { EmailFields } from "../run/run.ts";

/** Null for most steps, which have none of them. Throws RenderError for one that is not valid once it is rendered. */
export function renderMailFields(controls: JsonObject, scope: object): EmailControls | null {
  if (!mailFields.some((name) => controls[name])) return null;
  const rendered = Object.fromEntries(
    mailFields.map((name) => [name, typeof controls[name] === "string" ? renderLine(controls[name], scope) : ""]),
  );
  try {
    return readEmailControls(rendered as Record<keyof EmailControls, string>);
  } catch (error) {
    throw error instanceof OverrideError ? new RenderError(error.message) : error;
  }
}

/** What the event sets wins. */
export function withControls(fields: EmailFields, controls: EmailControls | null): EmailFields {
  if (!controls) return fields;
  const merged = { ...fields };
  for (const name of mailFields) if (merged[name] === undefined) Object.assign(merged, { [name]: controls[name] });
  const count = merged.to.length + (merged.cc?.length ?? 0) + (merged.bcc?.length ?? 0);
  if (count > maxAddresses) throw new RenderError(`to, cc and bcc must not hold more than ${maxAddresses} addresses`);
  return merged;
}
