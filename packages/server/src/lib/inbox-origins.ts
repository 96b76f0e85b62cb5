// Which web pages may use the inbox of an environment.
export type InboxOrigin = {
  /** Identifier of one environment, or null for all of them. */
  environment: string | null;
  origin: string;
};

type Environment = { identifier: string; type: "dev" | "prod" };

/** Requests without an origin do not come from a web page: CORS is not a protection from them, and they need none. */
export function isOriginAllowed(allowed: InboxOrigin[], { identifier, type }: Environment, origin?: string): boolean {
  if (origin === undefined) return true;
  const own = allowed.filter(({ environment }) => environment === null || environment === identifier);
  if (own.some((entry) => entry.origin === origin)) return true;
  return type === "dev" && !own.some(({ environment }) => environment !== null);
}
