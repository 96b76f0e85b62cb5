import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shellRoute } from "../../app/root-route.tsx";
import { readListPlace } from "../../kit/data/list-place.ts";
import { readGroupSearch } from "./search.ts";

const translationsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/translations",
  validateSearch: readListPlace,
  component: lazyRouteComponent(() => import("./translations-screen.tsx"), "TranslationsScreen"),
});

const translationRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/translations/$resourceType/$resourceId",
  validateSearch: readGroupSearch,
  component: lazyRouteComponent(() => import("./group-screen.tsx"), "GroupScreen"),
});

export const translationRoutes = [translationsRoute, translationRoute] as const;
