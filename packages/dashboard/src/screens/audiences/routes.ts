import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shellRoute } from "../../app/root-route.tsx";
import { readAudienceSearch, readAudiencesSearch } from "./search.ts";

const audiencesRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/audiences",
  validateSearch: readAudiencesSearch,
  component: lazyRouteComponent(() => import("./audiences-screen.tsx"), "AudiencesScreen"),
});

const newAudienceRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/audiences/new",
  component: lazyRouteComponent(() => import("./audience-screen.tsx"), "NewAudienceScreen"),
});

const audienceRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/audiences/$audienceId",
  validateSearch: readAudienceSearch,
  component: lazyRouteComponent(() => import("./audience-screen.tsx"), "AudienceScreen"),
});

export const audienceRoutes = [audiencesRoute, newAudienceRoute, audienceRoute] as const;
