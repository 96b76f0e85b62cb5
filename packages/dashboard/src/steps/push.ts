import { defineStep, summarizeContent, text, title } from "./kit.ts";

export default defineStep({ icon: "smartphone", fields: [title, text], summary: summarizeContent });
