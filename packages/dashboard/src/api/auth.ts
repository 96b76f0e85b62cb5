// The calls around sign-in. They need neither an environment nor a session.
import { send } from "./client.ts";

export type Environment = { _id: string; name: string; identifier: string; type: "dev" | "prod" };

export type Session = {
  person: { _id: string; name: string; email: string; role: string; hasPassword: boolean };
  csrfToken: string;
  environments: Environment[];
  signIn: { password: boolean; oidc: { name: string } | null };
  version: string;
};

export type SignInMethods = { oidc: { name: string } | null; isFirstStart: boolean };

/** What a one-time link is for, before it is used. */
export type LinkCheck = { kind: "first" | "invitation" | "reset"; name?: string | null; email?: string | null };

type Enveloped<T> = { data: T };

export const readSession = () => send<Enveloped<Session>>("GET", "/v1/auth/session").then(({ data }) => data);
export const readMethods = () => send<Enveloped<SignInMethods>>("GET", "/v1/auth/methods").then(({ data }) => data);
export const signIn = (body: { email: string; password: string }) => send("POST", "/v1/auth/sign-in", { body });
export const checkLink = (token: string) =>
  send<Enveloped<LinkCheck>>("POST", "/v1/auth/link/check", { body: { token } }).then(({ data }) => data);
export const takeLink = (body: { token: string; name?: string; email?: string; password?: string }) =>
  send("POST", "/v1/auth/link", { body });
export const signOut = () => send("DELETE", "/v1/auth/session");
