import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import type { ImportKind } from "@tidings/contract";
import { shellRoute } from "../../../app/root-route.tsx";

const newImportRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/imports/new",
  validateSearch: ({ kind }: Record<string, unknown>): { kind?: ImportKind } =>
    kind === "subscriptions" ? { kind } : {},
  component: lazyRouteComponent(() => import("./new-import-screen.tsx"), "NewImportScreen"),
});

const importRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/imports/$importId",
  component: lazyRouteComponent(() => import("./import-screen.tsx"), "ImportScreen"),
});

export const importRoutes = [newImportRoute, importRoute] as const;
