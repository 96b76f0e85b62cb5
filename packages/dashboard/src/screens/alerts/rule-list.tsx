// The alert rules of the environment.
import { getRouteApi } from "@tanstack/react-router";
import type { AlertRule } from "@tidings/contract";
import { useState } from "react";
import { useChange, useOperation } from "../../api/hooks.ts";
import { useMay } from "../../api/permissions.ts";
import { ListView } from "../../kit/data/list-view.tsx";
import { Row, RowLink, RowList } from "../../kit/data/row-list.tsx";
import { EmptyState } from "../../kit/feedback/states.tsx";
import { Badge } from "../../kit/feedback/verdict.tsx";
import { Button, IconButton } from "../../kit/inputs/button.tsx";
import { Switch } from "../../kit/inputs/switch.tsx";
import { Row as Line, Muted, Stack } from "../../kit/layout/layout.tsx";
import { Menu } from "../../kit/overlays/menu.tsx";
import { showError, showToast } from "../../kit/overlays/toast.tsx";
import { useConfirmedChange } from "../../kit/overlays/use-confirmed-change.ts";
import { RuleDialog } from "./rule-dialog.tsx";
import { describeParameters } from "./rule-fields.ts";
import { staleAfterRule } from "./stale.ts";
import { nameTarget } from "./target-names.ts";
import { TestDialog } from "./test-dialog.tsx";
import { words } from "./words.ts";

const alertsRoute = getRouteApi("/shell/alerts");

const text = words.rules;

export function RuleList() {
  const { data, error, refetch } = useOperation("alertRules.list", {});
  const may = useMay();
  // Which rule is open is in the address, so that a link leads to it.
  const { rule: openId } = alertsRoute.useSearch();
  const navigate = alertsRoute.useNavigate();
  const open = (rule?: string) => void navigate({ search: (old) => ({ env: old.env, tab: "rules", rule }) });
  const opened = data?.find(({ _id }) => _id === openId);
  const add = may("alertRules.create") && (
    <Button look="primary" icon="plus" onClick={() => open("new")}>
      {text.add}
    </Button>
  );
  return (
    <Stack>
      {(opened || openId === "new") && <RuleDialog key={openId} rule={opened ?? null} onClose={() => open()} />}
      <ListView
        rows={data}
        error={error}
        onRetry={refetch}
        empty={<EmptyState icon="bell" title={text.none} text={text.noneText} action={add} />}
      >
        {(rows) => (
          <>
            <Line isApart>
              <Muted>{text.text}</Muted>
              {add}
            </Line>
            <RowList label={words.tabs.rules}>
              {rows.map((rule) => (
                <RuleRow key={rule._id} rule={rule} onEdit={() => open(rule._id)} />
              ))}
            </RowList>
          </>
        )}
      </ListView>
    </Stack>
  );
}

function RuleRow({ rule, onEdit }: { rule: AlertRule; onEdit: () => void }) {
  const { _id, name, kind, targets, active, openAlerts } = rule;
  const may = useMay();
  const [isTesting, setTesting] = useState(false);
  const update = useChange("alertRules.update", staleAfterRule);
  const remove = useConfirmedChange("alertRules.delete", staleAfterRule);
  const mayChange = may("alertRules.update");
  const whom = targets.length === 0 ? text.dashboardOnly : targets.map(nameTarget).join(" · ");
  return (
    <Row isOff={!active}>
      <RowLink
        to="/alerts"
        search={{ tab: "rules", rule: _id }}
        name={name}
        note={`${[text.kinds[kind], describeParameters(rule)].filter(Boolean).join(": ")}. ${whom}`}
      />
      {openAlerts > 0 && <Badge tone="bad">{text.openAlerts(openAlerts)}</Badge>}
      {mayChange && (
        <>
          {remove.dialog}
          {isTesting && <TestDialog rule={rule} onClose={() => setTesting(false)} />}
          <Switch
            label={text.activeOf(name)}
            checked={active}
            disabled={update.isPending}
            onChange={({ target }) =>
              update.mutate(
                { params: { ruleId: _id }, body: { active: target.checked } },
                {
                  onError: showError,
                  onSuccess: (saved) => showToast({ title: saved.active ? text.on(name) : text.off(name) }),
                },
              )
            }
          />
          <Menu
            trigger={<IconButton icon="more" label={text.menu(name)} />}
            entries={[
              { label: text.edit, icon: "pencil", onChoose: onEdit },
              ...(targets.length > 0
                ? [{ label: text.test, icon: "send" as const, onChoose: () => setTesting(true) }]
                : []),
              { kind: "line" },
              {
                label: text.delete,
                icon: "trash",
                isDanger: true,
                onChoose: () =>
                  remove.ask(
                    { params: { ruleId: _id } },
                    {
                      title: text.deleteTitle(name),
                      text: text.deleteText,
                      label: text.delete,
                      isDanger: true,
                      isAlways: true,
                      done: text.deleted(name),
                    },
                  ),
              },
            ]}
          />
        </>
      )}
    </Row>
  );
}
