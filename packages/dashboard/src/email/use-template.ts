// The HTML template that the service makes of a block document: what an email is switched to.
import { callOperation } from "../api/client.ts";
import { useEnvironment } from "../api/session.tsx";

export function useTemplateOf(): (body: string) => Promise<string | null> {
  const { _id: environmentId } = useEnvironment();
  return async (body) => {
    const step = { type: "email" as const, controlValues: { subject: "", body, editorType: "block" } };
    const request = { body: { step, layoutId: null, withTemplate: true } };
    const { data } = await callOperation("workflows.preview", request, environmentId);
    return data.template ?? null;
  };
}
