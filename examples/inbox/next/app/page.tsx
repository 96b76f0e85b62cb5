// A server component: the API key stays on the server, the browser gets the hash of this subscriber alone.
import { createHmac } from "node:crypto";
import { Notifications } from "./notifications";

export default function Page() {
  const subscriberId = "ada"; // of your own session
  const key = process.env.TIDINGS_API_KEY;
  const subscriberHash = key ? createHmac("sha256", key).update(subscriberId).digest("hex") : undefined;
  return (
    <header>
      <Notifications subscriberId={subscriberId} subscriberHash={subscriberHash} />
    </header>
  );
}
