// How the workflow is triggered from code, with the person and the payload of the test.
import { useState } from "react";
import { baseUrl } from "../../../api/client.ts";
import { triggerCurl } from "../../../api/curl.ts";
import { Code } from "../../../kit/data/code.tsx";
import { Select } from "../../../kit/inputs/select.tsx";
import { nodeSnippet, type Snippet } from "./snippets.ts";
import css from "./test.module.css";
import { words } from "./words.ts";

const languages = ["curl", "node"] as const;

export function TestCode(snippet: Snippet) {
  const [language, setLanguage] = useState<(typeof languages)[number]>("curl");
  const { workflowId: name, subscriberId: to, payload } = snippet;
  const text =
    language === "curl" ? triggerCurl({ name, to, payload }) : nodeSnippet(baseUrl().replace(/\/$/, ""), snippet);
  return (
    <details className={css.code}>
      <summary>{words.code}</summary>
      <p className={css.weak}>{words.codeText}</p>
      <Select
        name={words.language}
        value={language}
        choices={languages.map((value) => ({ value, label: words[value] }))}
        onChange={setLanguage}
      />
      <Code text={text} label={words.codeTitle} />
    </details>
  );
}
