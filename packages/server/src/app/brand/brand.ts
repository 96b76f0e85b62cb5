// The brand of an environment, and what its contexts override of it. What is wrong is refused; what is hard to read or
// to see is saved, and said in the response.
import type { Brand, BrandIn, BrandSettings, Input, Output } from "@tidings/contract";
import { brandLayout } from "@tidings/contract/gallery";
import type { Caller, Ctx } from "../../context.ts";
import { failure } from "../../failure.ts";
import { brandWarnings, resolveBrand } from "../../lib/brand/brand.ts";
import { renderMail } from "../../pipeline/render/mail-body.ts";
import { previewLinks } from "../../pipeline/rules/scope.ts";
import { findBrand, setBrand, setContextBrand } from "../../store/environments/brand.ts";
import { findContext } from "../../store/subscribers/contexts.ts";
import { orNone, readBrand } from "./read-brand.ts";

function toSettings(brand: Brand, own: BrandIn | null): BrandSettings {
  return { brand, own: own ?? {}, isSet: own !== null, warnings: brandWarnings(brand) };
}

export async function retrieve(ctx: Ctx, caller: Caller): Promise<Output<"brand.retrieve">> {
  const own = await findBrand(ctx.db, caller.environmentId);
  return toSettings(resolveBrand(own), own);
}

export async function update(
  ctx: Ctx,
  caller: Caller,
  { body }: Input<"brand.update">,
): Promise<Output<"brand.update">> {
  const brand = orNone(readBrand(body));
  await setBrand(ctx.db, caller.environmentId, { brand, now: ctx.now() });
  return toSettings(resolveBrand(brand), brand);
}

const sampleMail =
  "<h1>Your order is on its way</h1><p>Hello Ada, we have handed your parcel to the carrier. It should arrive on " +
  'Thursday. You can <a href="https://example.com/orders/1">follow it</a> at any time.</p>' +
  '<p><a class="button" href="https://example.com/orders/1">Track the parcel</a></p>';

export async function preview(
  ctx: Ctx,
  caller: Caller,
  { body }: Input<"brand.preview">,
): Promise<Output<"brand.preview">> {
  const given = readBrand(body.brand);
  const inherited = body.isOverride ? await findBrand(ctx.db, caller.environmentId) : null;
  const brand = resolveBrand(inherited, given);
  const scope = { brand, subscriber: {}, payload: {}, steps: {}, ...previewLinks("https://example.com") };
  const layout = { values: { email: { body: brandLayout.body, editorType: brandLayout.editorType } }, scope };
  const { html } = renderMail({ controls: { body: sampleMail }, layout, scope });
  return { brand, warnings: brandWarnings(brand), mail: html };
}

export async function retrieveContext(
  ctx: Ctx,
  caller: Caller,
  { params: { type, id } }: Input<"brand.retrieveContext">,
): Promise<Output<"brand.retrieveContext">> {
  const row = await findContext(ctx.db, caller.environmentId, type, id);
  if (!row) throw failure("CONTEXT_NOT_FOUND", { type, id });
  return toSettings(resolveBrand(await findBrand(ctx.db, caller.environmentId), row.brand), row.brand);
}

export async function updateContext(
  ctx: Ctx,
  caller: Caller,
  { params: { type, id }, body }: Input<"brand.updateContext">,
): Promise<Output<"brand.updateContext">> {
  const brand = orNone(readBrand(body));
  if (!(await setContextBrand(ctx.db, caller.environmentId, { type, id, brand, now: ctx.now() })))
    throw failure("CONTEXT_NOT_FOUND", { type, id });
  return toSettings(resolveBrand(await findBrand(ctx.db, caller.environmentId), brand), brand);
}

export async function removeContext(
  ctx: Ctx,
  caller: Caller,
  { params: { type, id } }: Input<"brand.deleteContext">,
): Promise<undefined> {
  if (!(await setContextBrand(ctx.db, caller.environmentId, { type, id, brand: null, now: ctx.now() })))
    throw failure("CONTEXT_NOT_FOUND", { type, id });
}
