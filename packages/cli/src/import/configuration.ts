// Layouts, workflows, translations and integrations of another installation. Everything is found by its identifier and created or
// updated, so that a repeated import changes nothing more.
import { type Tidings, TidingsError } from "@tidings/client/source";
import type { CallInput, Integration, Layout, Translation, Workflow } from "@tidings/contract";
import { count, type ImportReport } from "./report.ts";
import { listOf, readAllPages, type Source, unwrap } from "./source.ts";

type Import = { source: Source; target: Tidings; report: ImportReport };

export async function importLayouts({ source, target, report }: Import): Promise<void> {
  const layouts = await readAllPages<Layout>((query) => source.layouts.list({ query }), "layouts");
  for (const { layoutId } of layouts.toReversed()) {
    const layout = unwrap(await source.layouts.retrieve({ params: { layoutId } }));
    const { name, isTranslationEnabled } = layout;
    const exists = await isThere(() => target.layouts.retrieve({ params: { layoutId } }));
    if (!exists) await target.layouts.create({ body: { layoutId, name, isTranslationEnabled } });
    count(exists ? report.updated : report.created, "layouts");
    const controlValues = layout.controls?.values;
    await attempt(report, `layout ${layoutId}`, () =>
      target.layouts.update({ params: { layoutId }, body: { name, isTranslationEnabled, controlValues } }),
    );
    if (isTranslationEnabled) await importTranslations({ source, target, report }, "layout", layoutId);
  }
}

export async function importWorkflows({ source, target, report }: Import): Promise<void> {
  const workflows = await readAllPages<Workflow>((query) => source.workflows.list({ query }), "workflows");
  for (const { workflowId, origin } of workflows.toReversed()) {
    if (origin === "external") {
      report.byHand.push(`workflow ${workflowId}: its steps are code in your application; register that again`);
      continue;
    }
    const workflow = unwrap(await source.workflows.retrieve({ params: { workflowId } }));
    const isDone = await attempt(report, `workflow ${workflowId}`, () => writeWorkflow({ target, report }, workflow));
    if (isDone && workflow.isTranslationEnabled)
      await importTranslations({ source, target, report }, "workflow", workflowId);
  }
}

async function writeWorkflow({ target, report }: Pick<Import, "target" | "report">, workflow: Workflow): Promise<void> {
  const { workflowId, name, description, tags, active, validatePayload, payloadSchema } = workflow;
  const { isTranslationEnabled, severity, preferences, steps } = workflow;
  const settings = { name, description, tags, active, validatePayload, payloadSchema, isTranslationEnabled, severity };
  const body = {
    ...withoutNulls(settings),
    preferences: { user: preferences?.user, workflow: preferences?.default },
    steps: steps.map(({ stepId, name: stepName, type, controls, controlValues }) => ({
      ...{ stepId, name: stepName, type, controlValues: controls?.values ?? controlValues },
    })),
  } as CallInput<"workflows.create">["body"];
  const former = await findOrNull(() => target.workflows.retrieve({ params: { workflowId } }));
  const idsOf = new Map(former?.steps.map(({ stepId, _id }) => [stepId, _id]));
  const written = former
    ? await target.workflows.update({
        params: { workflowId },
        body: {
          ...body,
          preferences: body.preferences ?? {},
          origin: former.origin,
          steps: body.steps.map((step) => ({ ...step, _id: idsOf.get(step.stepId!) })),
        },
      })
    : await target.workflows.create({ body: { ...body, workflowId } });
  count(former ? report.updated : report.created, "workflows");
  for (const { stepId, issues } of written.steps)
    for (const [field, found] of Object.entries(issues?.controls ?? {}))
      report.changed.push(`workflow ${workflowId}, step ${stepId}, ${field}: ${found[0]?.message ?? "has an issue"}`);
}

async function importTranslations(
  { source, target, report }: Import,
  resourceType: "workflow" | "layout",
  resourceId: string,
): Promise<void> {
  const group = await findOrNull(() => source.translations.retrieveGroup({ params: { resourceType, resourceId } }));
  for (const locale of group ? (unwrap(group).locales ?? []) : [])
    await attempt(report, `translation ${resourceId} ${locale}`, async () => {
      const params = { resourceType, resourceId, locale };
      const { content } = unwrap(await source.translations.retrieve({ params })) as Translation;
      await target.translations.create({ body: { resourceId, resourceType, locale, content } });
      count(report.updated, "translations");
    });
}

/** Every installation has its own. */
const builtIn = /^(svc|novu)(-|$)/;

export async function importIntegrations({ source, target, report }: Import): Promise<void> {
  const integrations = listOf<Integration>(await source.integrations.list(), "integrations");
  const known = new Set((await target.integrations.list()).map(({ identifier }) => identifier));
  for (const { identifier, name, providerId, channel } of integrations) {
    if (builtIn.test(providerId) || known.has(identifier)) continue;
    const body = { identifier, name, providerId, channel, active: false } as CallInput<"integrations.create">["body"];
    const isDone = await attempt(report, `integration ${identifier}`, () => target.integrations.create({ body }));
    if (!isDone) continue;
    count(report.created, "integrations");
    report.byHand.push(`integration ${identifier} (${providerId}): enter its credentials and switch it on`);
  }
}

const withoutNulls = (members: object): object =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null && value !== undefined));

async function findOrNull<T>(ask: () => Promise<T>): Promise<T | null> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof TidingsError && error.status === 404) return null;
    throw error;
  }
}

const isThere = async (ask: () => Promise<unknown>): Promise<boolean> => (await findOrNull(ask)) !== null;

/** What the target refuses is for people to look at; the rest goes on. */
async function attempt(report: ImportReport, what: string, act: () => Promise<unknown>): Promise<boolean> {
  try {
    await act();
    return true;
  } catch (error) {
    if (!(error instanceof TidingsError) || ![400, 404, 409, 422].includes(error.status)) throw error;
    report.byHand.push(`${what}: ${error.message}${faultsOf(error.body)}`);
    return false;
  }
}

function faultsOf(body: unknown): string {
  const { errors } = (body ?? {}) as { errors?: Record<string, { messages?: string[] }> };
  const [first] = Object.entries(errors ?? {});
  return first ? ` (${first[0]}: ${first[1]?.messages?.[0] ?? ""})` : "";
}
