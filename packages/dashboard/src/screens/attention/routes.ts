import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shellRoute } from "../../app/root-route.tsx";

const attentionRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/attention",
  component: lazyRouteComponent(() => import("./attention-screen.tsx"), "AttentionScreen"),
});

export const attentionRoutes = [attentionRoute] as const;
