// Creates the layout of the gallery that follows the brand. It is a layout like any other, which people change as they
// like.
import type { Input, Layout } from "@tidings/contract";
import { brandLayout } from "@tidings/contract/gallery";
import type { Caller, Ctx } from "../../context.ts";
import { freeIdentifier } from "../../lib/identifiers.ts";
import { lockEnvironment } from "../../store/environments/environments.ts";
import { clearDefaultLayout, findLayoutIdsLike, updateLayout } from "../../store/workflows/layouts.ts";
import { insertNew, show } from "../workflows/layouts.ts";

export async function createLayout(ctx: Ctx, caller: Caller, { body }: Input<"brand.createLayout">): Promise<Layout> {
  const { environmentId } = caller;
  await lockEnvironment(ctx.db, environmentId);
  const { layoutId, name, body: template, editorType } = brandLayout;
  const taken = await findLayoutIdsLike(ctx.db, environmentId, layoutId);
  const row = await insertNew(ctx, caller, {
    layout_id: freeIdentifier(layoutId, taken),
    name,
    is_translation_enabled: false,
    control_values: { email: { body: template, editorType } },
  });
  if (!body.isDefault || row.is_default) return show(ctx, row);
  await clearDefaultLayout(ctx.db, environmentId);
  return show(ctx, await updateLayout(ctx.db, { ...row, is_default: true }));
}
