// Search and channel, above the list.

import { Dot } from "../../kit/feedback/verdict.tsx";
import { SearchField } from "../../kit/inputs/field.tsx";
import { type Choice, Select } from "../../kit/inputs/select.tsx";
import { useSettledText } from "../../kit/use-settled.ts";
import { channelNames } from "../../outcomes/channel-names.ts";
import css from "./mailbox.module.css";
import { type CapturedChannel, capturedChannels, type MailboxSearch } from "./search.ts";
import { words } from "./words.ts";

const choices: Choice<CapturedChannel | "">[] = [
  { value: "", label: words.any },
  ...capturedChannels.map((value) => ({ value, label: channelNames[value] })),
];

type MailboxBarProps = { search: MailboxSearch; onChange: (changed: MailboxSearch) => void };

export function MailboxBar({ search: { q = "", channel }, onChange }: MailboxBarProps) {
  const [text, setText] = useSettledText(q, (settled) => onChange({ q: settled.trim() || undefined }));
  return (
    <search className={css.bar}>
      <span className={css.search}>
        <SearchField
          label={words.search}
          value={text}
          maxLength={255}
          onChange={({ target }) => setText(target.value)}
        />
      </span>
      <Select
        name={words.channel}
        value={channel ?? ""}
        choices={choices}
        isSet={channel !== undefined}
        onChange={(value) => onChange({ channel: value || undefined })}
      />
      <span className={css.live}>
        <Dot tone="good" isMoving />
        {words.live}
      </span>
    </search>
  );
}
