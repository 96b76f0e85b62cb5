// The payload of the last test of a workflow, in the browser's storage, which may be forbidden or full.
const keyOf = (environmentId: string, workflowId: string): string => `tidings.test.1.${environmentId}.${workflowId}`;

/** Longer payloads would use up the storage, which drafts need. */
const maxLength = 50_000;

export function readPayload(environmentId: string, workflowId: string): string | null {
  try {
    return localStorage.getItem(keyOf(environmentId, workflowId));
  } catch {
    return null;
  }
}

export function keepPayload(environmentId: string, workflowId: string, text: string): void {
  if (text.length > maxLength) return;
  try {
    localStorage.setItem(keyOf(environmentId, workflowId), text);
  } catch {}
}
