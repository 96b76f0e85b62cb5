import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shellRoute } from "../../app/root-route.tsx";
import { readAlertsSearch } from "./search.ts";

const alertsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/alerts",
  validateSearch: readAlertsSearch,
  component: lazyRouteComponent(() => import("./alerts-screen.tsx"), "AlertsScreen"),
});

export const alertRoutes = [alertsRoute] as const;
