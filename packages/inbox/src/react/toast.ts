// For React: new messages at the edge of the window.
import { createElement, type ReactElement, useEffect, useRef } from "react";
import type { Inbox } from "../client/create-inbox.ts";
import type { InboxNotification, InboxOptions, Redirect } from "../client/types.ts";
import { defineToast } from "../define-on-request.ts";
import type { TidingsToastElement, ToastLabels } from "../toast/toast-element.ts";

export type ToastProps = Partial<
  Pick<
    InboxOptions,
    | "url"
    | "applicationIdentifier"
    | "subscriberId"
    | "subscriberHash"
    | "context"
    | "contextHash"
    | "token"
    | "getToken"
  >
> & {
  placement?: "top-start" | "top" | "top-end" | "bottom-start" | "bottom" | "bottom-end";
  /** Seconds; 0: until it is dismissed. */
  duration?: number;
  /** Messages shown at once; others wait. */
  max?: number;
  theme?: "light" | "dark" | "auto";
  labels?: Partial<ToastLabels>;
  className?: string;
  dir?: "ltr" | "rtl";
  lang?: string;
  /** Before a link is followed. `event.preventDefault()` leaves that to you. */
  onNavigate?: (event: CustomEvent<Redirect & { notification: InboxNotification }>) => void;
  /** Before a message is shown. `event.preventDefault()` prevents it. */
  onToast?: (event: CustomEvent<InboxNotification>) => void;
};

/** `useInbox` gives the client of the nearest provider. */
export function createToast(useInbox: () => Inbox | null) {
  return function Toast(props: ToastProps): ReactElement {
    const element = useRef<TidingsToastElement>(null);
    const given = useRef(props);
    given.current = props;
    const shared = useInbox();
    const { labels, getToken, context } = props;
    useEffect(() => void defineToast(), []);
    useEffect(() => {
      if (element.current && shared) Object.assign(element.current, { inbox: shared });
    }, [shared]);
    const hasGetToken = getToken !== undefined;
    useEffect(() => {
      if (element.current && hasGetToken) Object.assign(element.current, { getToken: () => given.current.getToken!() });
    }, [hasGetToken]);
    const labelsText = JSON.stringify(labels ?? {});
    useEffect(() => {
      if (element.current) Object.assign(element.current, { labels: JSON.parse(labelsText) });
    }, [labelsText]);
    useEffect(() => {
      const target = element.current!;
      const onNavigate = (event: Event) => given.current.onNavigate?.(event as never);
      const onToast = (event: Event) => given.current.onToast?.(event as never);
      target.addEventListener("navigate", onNavigate);
      target.addEventListener("toast", onToast);
      return () => {
        target.removeEventListener("navigate", onNavigate);
        target.removeEventListener("toast", onToast);
      };
    }, []);
    return createElement("tidings-toast", {
      ref: element,
      url: props.url,
      "application-identifier": props.applicationIdentifier,
      "subscriber-id": props.subscriberId,
      "subscriber-hash": props.subscriberHash,
      context: context && JSON.stringify(context),
      "context-hash": props.contextHash,
      token: props.token,
      placement: props.placement,
      duration: props.duration,
      max: props.max,
      theme: props.theme,
      class: props.className,
      dir: props.dir,
      lang: props.lang,
    });
  };
}
