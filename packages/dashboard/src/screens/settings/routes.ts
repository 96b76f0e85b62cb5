import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shellRoute } from "../../app/root-route.tsx";

export const auditRanges = { "24h": 86_400_000, "7d": 604_800_000, "30d": 2_592_000_000 } as const;
export type AuditRange = keyof typeof auditRanges;

export type SettingsSearch = {
  tab?: string;
  person?: string;
  operation?: string;
  environment?: string;
  range?: AuditRange;
  after?: string;
};

const names = ["tab", "person", "operation", "environment", "after"] as const;

export const settingsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/settings",
  validateSearch: (search: Record<string, unknown>): SettingsSearch => ({
    ...Object.fromEntries(
      names.flatMap((name) => (typeof search[name] === "string" && search[name] !== "" ? [[name, search[name]]] : [])),
    ),
    ...(typeof search.range === "string" && search.range in auditRanges && { range: search.range as AuditRange }),
  }),
  component: lazyRouteComponent(() => import("./settings-screen.tsx"), "SettingsScreen"),
});

export const settingsRoutes = [settingsRoute] as const;
