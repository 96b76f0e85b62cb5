import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shellRoute } from "../../app/root-route.tsx";

export const integrationRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: "/integrations",
    component: lazyRouteComponent(() => import("./integrations-screen.tsx"), "IntegrationsScreen"),
  }),
] as const;
