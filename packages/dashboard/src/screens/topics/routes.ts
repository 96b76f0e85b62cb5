import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shellRoute } from "../../app/root-route.tsx";
import { readTopicSearch, readTopicsSearch } from "./search.ts";

const topicsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/topics",
  validateSearch: readTopicsSearch,
  component: lazyRouteComponent(() => import("./topics-screen.tsx"), "TopicsScreen"),
});

const topicRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/topics/$topicKey",
  validateSearch: readTopicSearch,
  component: lazyRouteComponent(() => import("./topic-screen.tsx"), "TopicScreen"),
});

export const topicRoutes = [topicsRoute, topicRoute] as const;
