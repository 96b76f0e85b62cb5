// What is shown when a screen stops with an error, does not exist, or is still being loaded.
import { type ErrorComponentProps, useRouter } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { ApiError, noAnswer, toApiError } from "../api/api-error.ts";
import { limitMs, watchCall } from "../api/connection.ts";
import { EmptyState, ErrorPanel, Skeleton } from "../kit/feedback/states.tsx";
import { Button, LinkButton } from "../kit/inputs/button.tsx";
import { words } from "../words.ts";
import css from "./shell.module.css";

export function CrashScreen({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const retry = () => {
    reset();
    void router.invalidate();
  };
  const text = error instanceof ApiError ? `${error.message}. ${error.advice}` : toApiError(error).message;
  return (
    <EmptyState
      icon="alert"
      isBad
      title={error instanceof ApiError ? words.errors.title : words.errors.crashed}
      text={text}
      action={
        <Button look="primary" onClick={retry}>
          {words.retry}
        </Button>
      }
    />
  );
}

export const NotFoundScreen = () => (
  <EmptyState
    title={words.notFound.title}
    text={words.notFound.text}
    action={<LinkButton to="/">{words.notFound.home}</LinkButton>}
  />
);

/** Shown where the screen will appear, while its code is loading. A frozen service does not send the code either. */
export function PendingScreen() {
  const [isGivenUp, setGivenUp] = useState(false);
  useEffect(() => {
    const watched = watchCall(false);
    const timer = setTimeout(() => setGivenUp(true), limitMs);
    return () => {
      watched.drop();
      clearTimeout(timer);
    };
  }, []);
  return (
    <div className={css.pending}>
      {isGivenUp ? <ErrorPanel error={noAnswer()} onRetry={() => window.location.reload()} /> : <Skeleton />}
    </div>
  );
}
