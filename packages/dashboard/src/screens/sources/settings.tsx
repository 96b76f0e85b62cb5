// Which database a source is: its roles where it is the service's own, its connection where it is another one.
import type { Source } from "@tidings/contract";
import { useEnvironment } from "../../api/session.tsx";
import { Code, Id, InlineCode } from "../../kit/data/code.tsx";
import { Time } from "../../kit/data/time.tsx";
import { Muted, Stack } from "../../kit/layout/layout.tsx";
import { Card, Facts } from "../../kit/layout/page.tsx";
import css from "./sources.module.css";
import { words } from "./words.ts";

const text = words.one;

export function Settings({ source }: { source: Source }) {
  const { id, kind, host, port, database, user, schema, lastError, lastErrorAt, state } = source;
  return (
    <>
      {kind === "local" && <Roles roles={source.roles ?? []} />}
      <Card title={kind === "local" ? text.details : text.settings}>
        <Facts
          of={[
            [words.form.host, host && `${host}:${port}`],
            [words.form.database, database],
            [words.form.user, user],
            [words.form.schema, <InlineCode key="schema">{schema}</InlineCode>],
            [
              text.lastError,
              lastErrorAt && state !== "failing" ? (
                <span key="error">
                  <Time at={lastErrorAt} /> · {lastError}
                </span>
              ) : undefined,
            ],
            [text.created, <Time key="created" at={source.createdAt} />],
            [text.changed, <Time key="changed" at={source.updatedAt} />],
            [text.id, <Id key="id" text={id} what={text.id} />],
          ]}
        />
      </Card>
    </>
  );
}

function Roles({ roles }: { roles: readonly string[] }) {
  const { identifier } = useEnvironment();
  return (
    <Card title={text.roles.title}>
      <Stack>
        {roles.length > 0 ? (
          <ul className={css.roles} aria-label={text.roles.title}>
            {roles.map((role) => (
              <li key={role}>
                <InlineCode>{role}</InlineCode>
              </li>
            ))}
          </ul>
        ) : (
          <Muted>{text.roles.none}</Muted>
        )}
        <Muted>{text.roles.grant}</Muted>
        <Code text={words.grantCommand(identifier)} label={text.roles.grantLabel} />
        <Muted>{text.roles.revoke}</Muted>
        <Code text={words.revokeCommand(roles[0])} label={text.roles.revokeLabel} />
      </Stack>
    </Card>
  );
}
