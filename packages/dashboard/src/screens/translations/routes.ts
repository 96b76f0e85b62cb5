import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shellRoute } from "../../app/root-route.tsx";
import { readListPlace } from "../../kit/list-place.ts";

const textOf = (value: unknown): string | undefined =>
  (typeof value === "string" || typeof value === "number") && value !== "" ? String(value).slice(0, 255) : undefined;

export const translationsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/translations",
  validateSearch: readListPlace,
  component: lazyRouteComponent(() => import("./translations-screen.tsx"), "TranslationsScreen"),
});

export type GroupSearch = { q?: string; show?: "missing" | "extra" };

export const translationRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/translations/$resourceType/$resourceId",
  validateSearch: ({ q, show }: Record<string, unknown>): GroupSearch => ({
    ...(textOf(q) !== undefined && { q: textOf(q) }),
    ...((show === "missing" || show === "extra") && { show }),
  }),
  component: lazyRouteComponent(() => import("./group-screen.tsx"), "GroupScreen"),
});

export const translationRoutes = [translationsRoute, translationRoute] as const;
