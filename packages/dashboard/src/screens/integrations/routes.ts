import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import type { Channel } from "@tidings/contract";
import { shellRoute } from "../../app/root-route.tsx";

const channels: readonly string[] = ["in_app", "email", "sms", "chat", "push"];

type CatalogueSearch = { q?: string; channel?: Channel };

export const catalogueRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/integrations/new",
  validateSearch: ({ q, channel }: Record<string, unknown>): CatalogueSearch => ({
    ...(typeof q === "string" && q !== "" && { q: q.slice(0, 100) }),
    ...(channels.includes(channel as string) && { channel: channel as Channel }),
  }),
  component: lazyRouteComponent(() => import("./catalogue-screen.tsx"), "CatalogueScreen"),
});

export const newIntegrationRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/integrations/new/$providerId",
  component: lazyRouteComponent(() => import("./new-integration-screen.tsx"), "NewIntegrationScreen"),
});

export const integrationRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/integrations/$integrationId",
  component: lazyRouteComponent(() => import("./integration-screen.tsx"), "IntegrationScreen"),
});

export const integrationRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: "/integrations",
    component: lazyRouteComponent(() => import("./integrations-screen.tsx"), "IntegrationsScreen"),
  }),
  catalogueRoute,
  newIntegrationRoute,
  integrationRoute,
] as const;
