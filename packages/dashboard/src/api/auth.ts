// The calls around sign-in. They need neither an environment nor a session.
import type { Output, SignedIn } from "@tidings/contract";
import { callOperation } from "./client.ts";

export type Session = SignedIn;
export type Environment = SignedIn["environments"][number];
export type SignInMethods = Output<"auth.methods">["data"];
/** What a one-time link is for, before it is used. */
export type LinkCheck = Output<"auth.checkLink">["data"];

export const readSession = async (): Promise<Session> => (await callOperation("auth.retrieveSession", {})).data;
export const readMethods = async (): Promise<SignInMethods> => (await callOperation("auth.methods", {})).data;
export const checkLink = async (token: string): Promise<LinkCheck> =>
  (await callOperation("auth.checkLink", { body: { token } })).data;
export const takeLink = (body: { token: string; name?: string; email?: string; password?: string }) =>
  callOperation("auth.redeemLink", { body });
export const signIn = (body: { email: string; password: string }) => callOperation("auth.signIn", { body });
export const signOut = () => callOperation("auth.signOut", {});
