import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shellRoute } from "../../app/root-route.tsx";

export const activityRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: "/activity",
    component: lazyRouteComponent(() => import("./activity-screen.tsx"), "ActivityScreen"),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: "/activity/$transactionId",
    component: lazyRouteComponent(() => import("./activity-screen.tsx"), "ActivityScreen"),
  }),
] as const;
