// The payloads that were typed for a workflow, in the browser's storage, which may be forbidden or full.

/** That of the last test, or of the preview. */
type Kind = "test" | "sample";

export type PayloadPlace = { kind: Kind; environmentId: string; workflowId: string };

const keyOf = ({ kind, environmentId, workflowId }: PayloadPlace): string =>
  `tidings.${kind}.1.${environmentId}.${workflowId}`;

/** Longer payloads would use up the storage, which drafts need. */
const maxLength = 50_000;

export function readPayload(place: PayloadPlace): string | null {
  try {
    return localStorage.getItem(keyOf(place));
  } catch {
    return null;
  }
}

export function keepPayload(place: PayloadPlace, text: string): void {
  if (text.length > maxLength) return;
  try {
    localStorage.setItem(keyOf(place), text);
  } catch {}
}
