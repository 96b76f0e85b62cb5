import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shellRoute } from "../../app/root-route.tsx";

export type LayoutSearch = { q?: string; page?: number };

export const layoutsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/layouts",
  validateSearch: ({ q, page }: Record<string, unknown>): LayoutSearch => ({
    ...((typeof q === "string" || typeof q === "number") && q !== "" && { q: String(q).slice(0, 255) }),
    ...(Number.isInteger(page) && (page as number) > 0 && { page: page as number }),
  }),
  component: lazyRouteComponent(() => import("./layouts-screen.tsx"), "LayoutsScreen"),
});

export const layoutRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/layouts/$layoutId",
  component: lazyRouteComponent(() => import("./layout-screen.tsx"), "LayoutScreen"),
});

export const layoutRoutes = [layoutsRoute, layoutRoute] as const;
