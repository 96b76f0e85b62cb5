import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shellRoute } from "../../app/root-route.tsx";
import { readCatalogueSearch } from "./search.ts";

const integrationsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/integrations",
  component: lazyRouteComponent(() => import("./integrations-screen.tsx"), "IntegrationsScreen"),
});

const catalogueRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/integrations/new",
  validateSearch: readCatalogueSearch,
  component: lazyRouteComponent(() => import("./catalogue-screen.tsx"), "CatalogueScreen"),
});

const newIntegrationRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/integrations/new/$providerId",
  component: lazyRouteComponent(() => import("./new-integration-screen.tsx"), "NewIntegrationScreen"),
});

const integrationRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/integrations/$integrationId",
  component: lazyRouteComponent(() => import("./integration-screen.tsx"), "IntegrationScreen"),
});

export const integrationRoutes = [integrationsRoute, catalogueRoute, newIntegrationRoute, integrationRoute] as const;
