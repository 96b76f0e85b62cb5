// Who is signed in, and which of the environments is examined. The environment is in the URL (`?env=`), so that a link
// leads a colleague to the same place; without it, the last one that this browser used.
import { queryOptions } from "@tanstack/react-query";
import { createContext, useContext } from "react";
import type { ApiError } from "./api-error.ts";
import { type Environment, readSession, type Session } from "./auth.ts";
import { setCredentials } from "./client.ts";

export const sessionQuery = queryOptions<Session, ApiError>({
  queryKey: ["session"],
  queryFn: async () => {
    const session = await readSession();
    setCredentials({ csrfToken: session.csrfToken });
    return session;
  },
  staleTime: 60_000,
});

const storageKey = "tidings.environment";

/** The environment of the URL, else the last one used here, else the first. */
export function chooseEnvironment({ environments }: Session, wanted: string | undefined): Environment {
  const find = (name: string | null | undefined) =>
    environments.find(({ _id, identifier }) => name === _id || name === identifier);
  const chosen = find(wanted) ?? find(readStored()) ?? environments[0]!;
  store(chosen._id);
  setCredentials({ environmentId: chosen._id });
  return chosen;
}

// Storage may be forbidden by the browser; the dashboard works without.
function readStored(): string | null {
  try {
    return localStorage.getItem(storageKey);
  } catch {
    return null;
  }
}

function store(id: string): void {
  try {
    localStorage.setItem(storageKey, id);
  } catch {}
}

export type SessionContext = { session: Session; environment: Environment };

const Context = createContext<SessionContext | null>(null);
export const SessionProvider = Context.Provider;

function useSessionContext(): SessionContext {
  const value = useContext(Context);
  if (!value) throw new Error("This component is used outside of the shell");
  return value;
}

export const useSession = (): Session => useSessionContext().session;
export const useEnvironment = (): Environment => useSessionContext().environment;
