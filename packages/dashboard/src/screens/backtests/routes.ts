import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shellRoute } from "../../app/root-route.tsx";
import { readPlace } from "../../backtests/place.ts";
import { readBacktestsSearch } from "./search.ts";

const backtestsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/backtests",
  validateSearch: readBacktestsSearch,
  component: lazyRouteComponent(() => import("./backtests-screen.tsx"), "BacktestsScreen"),
});

const backtestRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/backtests/$backtestId",
  validateSearch: readPlace,
  component: lazyRouteComponent(() => import("./backtest-screen.tsx"), "BacktestScreen"),
});

export const backtestRoutes = [backtestsRoute, backtestRoute] as const;
