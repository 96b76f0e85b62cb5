// Source and target of a publish, from the URL: unless it says otherwise, from the first development environment to
// production.
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import type { Environment } from "../../api/auth.ts";
import { useEnvironment, useSession } from "../../api/session.tsx";
import type { EnvironmentSearch } from "./search.ts";

const environmentsRoute = getRouteApi("/shell/environments");

type Ends = {
  environments: readonly Environment[];
  source: Environment | undefined;
  target: Environment;
  change: (changed: EnvironmentSearch) => void;
};

export function useEnds(): Ends {
  const { environments } = useSession();
  const chosen = useEnvironment();
  const search = environmentsRoute.useSearch();
  const navigate = useNavigate();
  const find = (name: string | undefined) =>
    environments.find(({ _id, identifier }) => name === identifier || name === _id);
  const target = find(search.target) ?? environments.find(({ type }) => type === "prod") ?? chosen;
  const others = environments.filter(({ _id }) => _id !== target._id);
  const wanted = find(search.source);
  const source =
    wanted && wanted._id !== target._id
      ? wanted
      : (others.find(({ _id }) => _id === chosen._id) ?? others.find(({ type }) => type === "dev") ?? others[0]);
  const change = (changed: EnvironmentSearch) =>
    void navigate({
      to: "/environments",
      search: ({ env }) => ({ env, tab: search.tab, source: search.source, target: search.target, ...changed }),
    });
  return { environments, source, target, change };
}
