// Sign-in: by email and password, with OpenID Connect, or by a link that works once. The token of a link is behind the
// "#", so that it is in no log of a server.
import { useQueryClient } from "@tanstack/react-query";
import { getRouteApi, useRouter } from "@tanstack/react-router";
import { type FormEvent, type ReactNode, useEffect, useState } from "react";
import { type ApiError, toApiError } from "../../api/api-error.ts";
import { checkLink, type LinkCheck, readMethods, type SignInMethods, signIn, takeLink } from "../../api/auth.ts";
import { baseUrl } from "../../api/client.ts";
import { Mark } from "../../icons.tsx";
import { ErrorPanel } from "../../kit/feedback/states.tsx";
import { AnchorButton, Button } from "../../kit/inputs/button.tsx";
import { TextField } from "../../kit/inputs/field.tsx";
import css from "./sign-in.module.css";
import { words } from "./words.ts";

const signInRoute = getRouteApi("/sign-in");

const tokenOf = (hash: string): string | null => new URLSearchParams(hash.replace(/^#/, "")).get("token");

export function SignInScreen() {
  const [token, setToken] = useState(() => tokenOf(window.location.hash));
  useEffect(() => {
    document.title = words.title;
    const listen = () => setToken(tokenOf(window.location.hash));
    window.addEventListener("hashchange", listen);
    return () => window.removeEventListener("hashchange", listen);
  }, []);
  return (
    <main className={css.page}>
      <div className={css.card}>
        <span className={css.brand}>
          <Mark size={24} />
        </span>
        {token === null ? <PasswordForm /> : <LinkForm token={token} onLeave={() => setToken(null)} />}
      </div>
    </main>
  );
}

/** Goes where the person wanted to, with a new session. */
function useEnter() {
  const router = useRouter();
  const client = useQueryClient();
  const { next = "/" } = signInRoute.useSearch();
  return async () => {
    client.clear();
    await router.invalidate();
    router.history.push(router.basepath.replace(/\/$/, "") + next.replace(router.basepath, "/").replace(/^\/+/, "/"));
  };
}

function useSubmit(run: (values: Record<string, string>) => Promise<unknown>) {
  const [error, setError] = useState<ApiError | null>(null);
  const [isBusy, setBusy] = useState(false);
  const enter = useEnter();
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const values = Object.fromEntries(new FormData(event.currentTarget)) as Record<string, string>;
    setBusy(true);
    setError(null);
    try {
      await run(values);
      await enter();
    } catch (fault) {
      setError(toApiError(fault));
    } finally {
      setBusy(false);
    }
  };
  return { error, isBusy, submit };
}

const Heading = ({ title, children }: { title: string; children?: ReactNode }) => (
  <>
    <h1>{title}</h1>
    {children && <p className={css.lead}>{children}</p>}
  </>
);

function PasswordForm() {
  const [methods, setMethods] = useState<SignInMethods | null>(null);
  const [fault, setFault] = useState<unknown>(null);
  useEffect(() => {
    readMethods().then(setMethods, setFault);
  }, []);
  const { error, isBusy, submit } = useSubmit(({ email = "", password = "" }) => signIn({ email, password }));
  if (methods?.isFirstStart) return <Heading title={words.first}>{words.firstText}</Heading>;
  return (
    <>
      <Heading title={words.heading} />
      {fault !== null && <ErrorPanel error={fault} />}
      {methods?.oidc && (
        <>
          <div className={css.oidc}>
            <AnchorButton href={new URL("v1/auth/oidc/start", baseUrl()).href}>
              {words.with(methods.oidc.name)}
            </AnchorButton>
          </div>
          <p className={css.or}>{words.or}</p>
        </>
      )}
      <form className={css.form} onSubmit={submit}>
        {error && <ErrorPanel error={error} />}
        <TextField label={words.email} name="email" type="email" autoComplete="username" required autoFocus />
        <TextField label={words.password} name="password" type="password" autoComplete="current-password" required />
        <Button look="primary" type="submit" disabled={isBusy}>
          {words.signIn}
        </Button>
      </form>
      <p className={css.note}>{words.forgotten}</p>
    </>
  );
}

function LinkForm({ token, onLeave }: { token: string; onLeave: () => void }) {
  const [link, setLink] = useState<LinkCheck | null>(null);
  const [isBad, setBad] = useState(false);
  useEffect(() => {
    checkLink(token).then(setLink, () => setBad(true));
  }, [token]);
  const { error, isBusy, submit } = useSubmit((values) => takeLink({ token, ...values }));
  if (isBad)
    return (
      <>
        <Heading title={words.badLink}>{words.badLinkText}</Heading>
        <Button onClick={onLeave}>{words.toSignIn}</Button>
      </>
    );
  if (!link) return <Heading title={words.checking} />;
  const text = words.links[link.kind];
  return (
    <>
      <Heading title={text.heading}>{text.text}</Heading>
      <form className={css.form} onSubmit={submit}>
        {error && Object.keys(error.fields).length === 0 && <ErrorPanel error={error} />}
        {link.kind !== "reset" && (
          <TextField
            label={words.name}
            name="name"
            defaultValue={link.name ?? ""}
            autoComplete="name"
            required
            error={error?.fields.name}
          />
        )}
        {link.kind === "first" && (
          <TextField
            label={words.email}
            name="email"
            type="email"
            autoComplete="username"
            required
            error={error?.fields.email}
          />
        )}
        <TextField
          label={words.newPassword}
          name="password"
          type="password"
          autoComplete="new-password"
          minLength={10}
          required
          hint={words.passwordHint}
          error={error?.fields.password}
        />
        <Button look="primary" type="submit" disabled={isBusy}>
          {text.button}
        </Button>
      </form>
    </>
  );
}
