// What is said about a message to an address that nothing is sent to any more.
import type { SuppressedMessage } from "../../store/suppressions.ts";

const causes: Record<SuppressedMessage["reason"], string> = {
  bounce: "a hard bounce",
  complaint: "a complaint",
  manual: "a request",
};

export const whySuppressed = ({ reason, suppression_id }: SuppressedMessage): string =>
  `the address is suppressed after ${causes[reason]} (${suppression_id})`;
