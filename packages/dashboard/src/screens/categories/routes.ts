import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shellRoute } from "../../app/root-route.tsx";

const categoriesRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/categories",
  component: lazyRouteComponent(() => import("./categories-screen.tsx"), "CategoriesScreen"),
});

export const categoryRoutes = [categoriesRoute] as const;
