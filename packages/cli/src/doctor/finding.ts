// What the doctor says about one subject.
export type Finding = {
  subject: string;
  /** `unknown`: it could not be checked. */
  level: "ok" | "warning" | "fault" | "unknown";
  text: string;
  /** What to do. */
  fix?: string;
};

export const ok = (subject: string, text: string): Finding => ({ subject, level: "ok", text });
export const unknown = (subject: string, text: string): Finding => ({ subject, level: "unknown", text });
export const warning = (subject: string, text: string, fix: string): Finding => ({
  subject,
  level: "warning",
  text,
  fix,
});
export const fault = (subject: string, text: string, fix: string): Finding => ({ subject, level: "fault", text, fix });
