// Where secret variables may be used: in the parts of an HTTP request, and nowhere else.

const requestControls = new Set(["url", "headers", "body"]);

/** `path`: of a control, such as `headers.0.value`. */
export const maySeeSecrets = (stepType: string, path: string): boolean =>
  stepType === "http_request" && requestControls.has(path.split(".")[0]!);
