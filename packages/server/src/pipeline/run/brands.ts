// The brands of a batch of runs. They come with rows that the batch reads anyway: the brand of an environment with its
// integrations, that of a context with its data. So nothing is cached, and a change applies to the next batch of every
// process.
import type { Brand, BrandIn } from "@tidings/contract";
import { defaultBrand, resolveBrand } from "../../lib/brand/brand.ts";
import type { ActiveIntegration } from "../../store/integrations/integrations.batch.ts";
import type { BrandedTenant, ContextContent } from "../../store/subscribers/subscribers.batch.ts";

/** Environments and contexts without a brand are not in it. */
export type BrandFacts = {
  environments: ReadonlyMap<string, Brand>;
  /** By environment id, then by context key. */
  contexts: ReadonlyMap<string, ReadonlyMap<string, Brand>>;
};

export function toBrands(
  integrations: ActiveIntegration[],
  contexts: ContextContent[],
  tenants: BrandedTenant[],
): BrandFacts {
  const stored = new Map(
    integrations.flatMap(({ environment_id, brand }): [string, BrandIn][] => (brand ? [[environment_id, brand]] : [])),
  );
  const overrides = [
    ...contexts.map(({ environment_id, type, id, brand }) => ({ environment_id, key: `${type}:${id}`, brand })),
    ...tenants.map(({ environment_id, identifier, brand }) => ({ environment_id, key: `tenant:${identifier}`, brand })),
  ].filter(({ brand }) => brand !== null);
  const byEnvironment = Map.groupBy(overrides, ({ environment_id }) => environment_id);
  return {
    environments: new Map([...stored].map(([id, brand]) => [id, resolveBrand(brand)])),
    contexts: new Map(
      [...byEnvironment].map(([id, own]) => [
        id,
        new Map(own.map(({ key, brand }) => [key, resolveBrand(stored.get(id), brand)])),
      ]),
    ),
  };
}

type BrandedRun = { environmentId: string; contextKeys: readonly string[]; event: { tenant: string | null } };

/** The first context of the run that has a brand, then its tenant; undefined: it has that of the environment. */
export function brandKeyOf(
  { environmentId, contextKeys, event }: BrandedRun,
  { contexts }: BrandFacts,
): string | undefined {
  const own = contexts.get(environmentId);
  return own && [...contextKeys, `tenant:${event.tenant}`].find((key) => own.has(key));
}

export function brandOf(run: BrandedRun, brands: BrandFacts): Brand {
  const { environmentId } = run;
  const key = brandKeyOf(run, brands);
  const own = key === undefined ? undefined : brands.contexts.get(environmentId)?.get(key);
  return own ?? brands.environments.get(environmentId) ?? defaultBrand;
}
