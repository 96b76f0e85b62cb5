import { defineStep, summarizeContent, text } from "./kit.ts";

export default defineStep({ icon: "message", fields: [text], summary: summarizeContent });
