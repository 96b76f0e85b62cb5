// The variables of all environments, with the value that each of them has.
import type { EnvironmentVariable } from "@tidings/contract";
import { useState } from "react";
import { useOperation } from "../../api/hooks.ts";
import { useMay } from "../../api/permissions.ts";
import { useSession } from "../../api/session.tsx";
import { ListView } from "../../kit/data/list-view.tsx";
import { Table } from "../../kit/data/table.tsx";
import { EmptyState } from "../../kit/feedback/states.tsx";
import { Badge } from "../../kit/feedback/verdict.tsx";
import { Button, IconButton } from "../../kit/inputs/button.tsx";
import { Muted, Row, Stack } from "../../kit/layout/layout.tsx";
import { Menu } from "../../kit/overlays/menu.tsx";
import css from "./environments.module.css";
import { VariableDialog } from "./variable-dialog.tsx";
import { VariableRemoval } from "./variable-removal.tsx";
import { words } from "./words.ts";

const text = words.variables;

export function Variables() {
  const { data, error, refetch } = useOperation("environmentVariables.list", { query: {} });
  const may = useMay();
  const [isCreating, setCreating] = useState(false);
  const createButton = may("environmentVariables.create") && (
    <Button look="primary" icon="plus" onClick={() => setCreating(true)}>
      {text.create}
    </Button>
  );
  return (
    <Stack>
      <Row isApart>
        <Muted>{text.lead}</Muted>
        {data && data.length > 0 && createButton}
      </Row>
      <ListView
        rows={data}
        error={error}
        onRetry={refetch}
        empty={<EmptyState icon="code" title={text.none} text={text.noneText} action={createButton} />}
      >
        {(rows) => (
          <Table
            label={text.title}
            rows={rows}
            keyOf={({ key }) => key}
            columns={[
              { title: text.name, cell: NameCell },
              { title: text.values, cell: (variable) => <Values variable={variable} /> },
              { title: "", isNumber: true, cell: (variable) => <VariableMenu variable={variable} /> },
            ]}
          />
        )}
      </ListView>
      {isCreating && <VariableDialog onClose={() => setCreating(false)} />}
    </Stack>
  );
}

const NameCell = ({ key, isSecret }: EnvironmentVariable) => (
  <>
    <code>{key}</code> {isSecret && <Badge tone="info">{text.secret}</Badge>}
  </>
);

function Values({ variable: { values, isSecret } }: { variable: EnvironmentVariable }) {
  const { environments } = useSession();
  return (
    <ul className={css.values}>
      {environments.map(({ _id, name }) => {
        const own = values.find(({ _environmentId }) => _environmentId === _id);
        return (
          <li key={_id}>
            <span className={css.weak}>{name}</span>
            {own === undefined || isSecret || own.value === "" ? (
              <span>{own === undefined ? text.unset : isSecret ? text.set : text.empty}</span>
            ) : (
              <code title={own.value.slice(0, 500)}>{own.value.slice(0, 200)}</code>
            )}
          </li>
        );
      })}
    </ul>
  );
}

function VariableMenu({ variable }: { variable: EnvironmentVariable }) {
  const [open, setOpen] = useState<"edit" | "remove" | null>(null);
  const may = useMay();
  const close = () => setOpen(null);
  const entries = [
    ...(may("environmentVariables.update")
      ? [{ label: text.edit, icon: "pencil" as const, onChoose: () => setOpen("edit") }]
      : []),
    ...(may("environmentVariables.delete")
      ? [
          { kind: "line" as const },
          { label: text.remove, icon: "trash" as const, isDanger: true, onChoose: () => setOpen("remove") },
        ]
      : []),
  ];
  if (entries.length === 0) return null;
  return (
    <>
      <Menu
        align="end"
        trigger={<IconButton label={text.menu(variable.key)} icon="more" size="small" />}
        entries={entries}
      />
      {open === "edit" && <VariableDialog variable={variable} onClose={close} />}
      {open === "remove" && <VariableRemoval variableKey={variable.key} onClose={close} />}
    </>
  );
}
