import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shellRoute } from "../../app/root-route.tsx";

export const clockRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: "/clock",
    component: lazyRouteComponent(() => import("./clock-screen.tsx"), "ClockScreen"),
  }),
] as const;
