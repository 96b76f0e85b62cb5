import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shellRoute } from "../../app/root-route.tsx";

export const auditRanges = { "24h": 86_400_000, "7d": 604_800_000, "30d": 2_592_000_000 } as const;
/** `custom`: from one day to another, which are in the address too. */
export type AuditRange = keyof typeof auditRanges | "custom";

export type SettingsSearch = {
  tab?: string;
  person?: string;
  operation?: string;
  environment?: string;
  range?: AuditRange;
  /** Days such as `2026-11-16`, both included. */
  from?: string;
  to?: string;
  after?: string;
};

const names = ["tab", "person", "operation", "environment", "after"] as const;
const isRange = (value: unknown): value is AuditRange =>
  typeof value === "string" && (value === "custom" || value in auditRanges);
const dayPattern = /^\d{4}-\d\d-\d\d$/;
const readDay = (name: "from" | "to", value: unknown) =>
  typeof value === "string" && dayPattern.test(value) && !Number.isNaN(Date.parse(value)) ? { [name]: value } : {};

export const settingsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/settings",
  validateSearch: (search: Record<string, unknown>): SettingsSearch => ({
    ...Object.fromEntries(
      names.flatMap((name) => (typeof search[name] === "string" && search[name] !== "" ? [[name, search[name]]] : [])),
    ),
    ...(isRange(search.range) && { range: search.range }),
    ...(search.range === "custom" && { ...readDay("from", search.from), ...readDay("to", search.to) }),
  }),
  component: lazyRouteComponent(() => import("./settings-screen.tsx"), "SettingsScreen"),
});

export const settingsRoutes = [settingsRoute] as const;
