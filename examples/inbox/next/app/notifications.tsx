"use client";
// A client component, because functions cannot be passed from a server component.
import type { InboxNotification } from "@tidings/inbox";
import { Inbox, InboxProvider, useCounts, useInbox } from "@tidings/inbox/react";

type Props = { subscriberId: string; subscriberHash?: string };

export function Notifications(props: Props) {
  return (
    <InboxProvider url="http://localhost:3000" applicationIdentifier="development" {...props}>
      <Title />
      <Inbox renderItem={(notification) => <Row notification={notification} />} />
    </InboxProvider>
  );
}

function Title() {
  return <h1>{useCounts()?.total ?? 0} unread</h1>;
}

function Row({ notification }: { notification: InboxNotification }) {
  const inbox = useInbox();
  return (
    <p style={{ margin: 0, padding: "12px 20px" }}>
      Next: {notification.subject}{" "}
      {!notification.isRead && <button onClick={() => void inbox?.read(notification.id)}>Seen</button>}
    </p>
  );
}
