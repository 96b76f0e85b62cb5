import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shellRoute } from "../../app/root-route.tsx";

export const workflowRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: "/workflows",
    component: lazyRouteComponent(() => import("./workflows-screen.tsx"), "WorkflowsScreen"),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: "/workflows/$workflowId",
    component: lazyRouteComponent(() => import("./workflows-screen.tsx"), "WorkflowsScreen"),
  }),
] as const;
