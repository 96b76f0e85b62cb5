import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shellRoute } from "../../app/root-route.tsx";
import { present, type RawSearch, textParam } from "../../kit/search-params.ts";

/** `context`: `<type>:<id>`, whose brand is changed instead of the environment's. */
const readBrandSearch = ({ context }: RawSearch): { context?: string } => present({ context: textParam(context, 201) });

const brandRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/brand",
  validateSearch: readBrandSearch,
  component: lazyRouteComponent(() => import("./brand-screen.tsx"), "BrandScreen"),
});

export const brandRoutes = [brandRoute] as const;
