// Layouts, translations and integrations of another installation. Each is found by its identifier, and written only
// when it differs.
import type { CallInput, Integration, Layout, Translation } from "@tidings/contract";
import { count } from "./report.ts";
import { attempt, findOrNull, isSame } from "./requests.ts";
import { type Import, listOf, readAllPages, unwrap } from "./source.ts";

export async function importLayouts({ source, target, report }: Import): Promise<void> {
  const layouts = await readAllPages<Layout>((query) => source.layouts.list({ query }), "layouts");
  // The first layout of an environment is its default.
  const ordered = layouts
    .toReversed()
    .sort((one, other) => Number(other.isDefault ?? false) - Number(one.isDefault ?? false));
  for (const { layoutId } of ordered) {
    const layout = unwrap(await source.layouts.retrieve({ params: { layoutId } }));
    const isDone = await attempt(report, `layout ${layoutId}`, () => writeLayout({ source, target, report }, layout));
    if (isDone && layout.isTranslationEnabled) await importTranslations({ source, target, report }, "layout", layoutId);
  }
}

async function writeLayout({ target, report }: Import, layout: Layout): Promise<void> {
  const { layoutId, name, isTranslationEnabled = false, controls } = layout;
  const params = { layoutId };
  const former = await findOrNull(() => target.layouts.retrieve({ params }));
  const found = former ?? (await target.layouts.create({ body: { layoutId, name, isTranslationEnabled } }));
  if (layout.isDefault && !found.isDefault)
    report.changed.push(
      `layout ${layoutId}: is the default layout there, and is not here, where another one was first`,
    );
  const formOf = (one: Layout) => [one.name, one.isTranslationEnabled ?? false, one.controls?.values ?? {}];
  if (former && isSame(formOf(former), formOf(layout))) {
    count(report.unchanged, "layouts");
    return;
  }
  await target.layouts.update({ params, body: { name, isTranslationEnabled, controlValues: controls?.values } });
  count(former ? report.updated : report.created, "layouts");
}

export async function importTranslations(
  { source, target, report }: Import,
  resourceType: "workflow" | "layout",
  resourceId: string,
): Promise<void> {
  const group = await findOrNull(() => source.translations.retrieveGroup({ params: { resourceType, resourceId } }));
  for (const locale of group ? (unwrap(group).locales ?? []) : [])
    await attempt(report, `translation ${resourceId} ${locale}`, async () => {
      const params = { resourceType, resourceId, locale };
      const { content } = unwrap(await source.translations.retrieve({ params })) as Translation;
      const former = await findOrNull(() => target.translations.retrieve({ params }));
      if (former && isSame(former.content, content)) {
        count(report.unchanged, "translations");
        return;
      }
      await target.translations.create({ body: { resourceId, resourceType, locale, content } });
      count(former ? report.updated : report.created, "translations");
    });
}

/** Every installation has its own. */
const builtIn = /^(svc|novu)(-|$)/;

export async function importIntegrations({ source, target, report }: Import): Promise<void> {
  const integrations = listOf<Integration>(await source.integrations.list(), "integrations");
  const known = new Set((await target.integrations.list()).map(({ identifier }) => identifier));
  for (const { identifier, name, providerId, channel, primary, conditions } of integrations) {
    if (builtIn.test(providerId)) continue;
    if (known.has(identifier)) {
      count(report.unchanged, "integrations");
      continue;
    }
    const body = { identifier, name, providerId, channel, active: false } as CallInput<"integrations.create">["body"];
    const isDone = await attempt(report, `integration ${identifier}`, () => target.integrations.create({ body }));
    if (!isDone) continue;
    count(report.created, "integrations");
    const tasks = [
      "enter its credentials and switch it on",
      ...(primary ? ["make it primary, as in the other installation"] : []),
      ...((conditions?.length ?? 0) > 0 ? ["enter its conditions again: they did not come over"] : []),
    ];
    report.byHand.push(`integration ${identifier} (${providerId}): ${tasks.join("; ")}`);
  }
}
