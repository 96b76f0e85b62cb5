// The script of the page /inbox: it sends a message and copies code samples.
import { defineInbox } from "../define-on-request.ts";

const button = document.querySelector<HTMLButtonElement>("#send")!;
const answer = document.querySelector<HTMLElement>("#answer")!;

button.addEventListener("click", async () => {
  button.disabled = true;
  try {
    const reply = await fetch(new URL("welcome", import.meta.url), {
      method: "POST",
      signal: AbortSignal.timeout(20_000),
    });
    const { message } = (await reply.json()) as { message?: string };
    answer.textContent = reply.ok
      ? "Sent. It is in both inboxes."
      : (message ?? `The service returned ${reply.status}.`);
  } catch {
    answer.textContent = "The service cannot be reached.";
  }
  button.disabled = false;
});

for (const figure of document.querySelectorAll<HTMLElement>("figure.code")) {
  const copy = document.createElement("button");
  copy.type = "button";
  copy.textContent = "Copy";
  copy.addEventListener("click", async () => {
    await navigator.clipboard.writeText(figure.querySelector("code")?.textContent ?? "");
    copy.textContent = "Copied";
  });
  figure.querySelector("figcaption")?.append(copy);
}

// After the buttons, which work while the widget loads.
await defineInbox();
