// The tenant of an event: named by its identifier, or given with name and data.
import { isObject, type JsonObject, jsonBytes } from "../../lib/json.ts";
import type { TenantEntry } from "../../store/subscribers/tenants.ts";

/** Without `entry` the tenant must exist; with one it is created or updated. */
type NamedTenant = { identifier: string; entry?: TenantEntry };

const maxDataBytes = 65_536;

/** Null when the event has no tenant, or one with errors. */
export function checkTenant(tenant: string | object | undefined): { tenant: NamedTenant | null; faults: string[] } {
  if (tenant === undefined) return { tenant: null, faults: [] };
  if (typeof tenant === "string") return { tenant: { identifier: tenant.trim() }, faults: [] };
  const { identifier, name, data } = tenant as JsonObject;
  const faults: string[] = [];
  const id = typeof identifier === "string" ? identifier.trim() : "";
  if (identifier === undefined) faults.push("tenant.identifier is required");
  else if (!/^\P{Cc}{1,255}$/u.test(id)) faults.push("tenant.identifier must have 1 to 255 characters");
  if (name !== undefined && (typeof name !== "string" || name.length > 255)) {
    faults.push("tenant.name must be a string of at most 255 characters");
  }
  if (data !== undefined && !isObject(data)) faults.push("tenant.data must be an object");
  else if (jsonBytes(data ?? {}) > maxDataBytes)
    faults.push(`tenant.data must not be larger than ${maxDataBytes} bytes`);
  if (faults.length > 0) return { tenant: null, faults };
  return { tenant: { identifier: id, entry: { identifier: id, name, data } as TenantEntry }, faults };
}

/** One entry per tenant. Where several events give the same member, the last one wins. */
export function mergeTenants(entries: readonly TenantEntry[]): TenantEntry[] {
  const merged = new Map<string, TenantEntry>();
  for (const { identifier, name, data } of entries) {
    const before = merged.get(identifier);
    merged.set(identifier, { identifier, name: name ?? before?.name, data: data ?? before?.data });
  }
  return [...merged.values()];
}
