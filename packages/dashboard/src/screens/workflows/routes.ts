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
    validateSearch: ({ step }: Record<string, unknown>): { step?: string } =>
      typeof step === "string" ? { step } : {},
    component: lazyRouteComponent(() => import("./workflows-screen.tsx"), "WorkflowsScreen"),
  }),
] as const;
