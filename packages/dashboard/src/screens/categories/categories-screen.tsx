// The categories of an environment, in the order in which subscribers see them.
import { Link } from "@tanstack/react-router";
import type { Category } from "@tidings/contract";
import { useState } from "react";
import { useChange, useOperation } from "../../api/hooks.ts";
import { useMay } from "../../api/permissions.ts";
import { ListView } from "../../kit/data/list-view.tsx";
import { Table } from "../../kit/data/table.tsx";
import { EmptyState } from "../../kit/feedback/states.tsx";
import { Badge } from "../../kit/feedback/verdict.tsx";
import { Button, IconButton } from "../../kit/inputs/button.tsx";
import { Page } from "../../kit/layout/page.tsx";
import { useConfirm } from "../../kit/overlays/confirm.tsx";
import { Menu } from "../../kit/overlays/menu.tsx";
import { showError, showToast } from "../../kit/overlays/toast.tsx";
import { channelNames, channels } from "../../outcomes/channel-names.ts";
import css from "./categories.module.css";
import { CategoryDialog } from "./category-dialog.tsx";
import { words } from "./words.ts";

export function CategoriesScreen() {
  const { data, error, refetch } = useOperation("categories.list", {});
  const [isCreating, setCreating] = useState(false);
  const order = useChange("categories.updateOrder", ["categories.list"]);
  const may = useMay();
  const rows = data?.categories;
  const move = (from: number, to: number) => {
    const ids = (rows ?? []).map(({ categoryId }) => categoryId);
    const [moved] = ids.splice(from, 1);
    if (moved === undefined) return;
    order.mutate({ body: { categoryIds: ids.toSpliced(to, 0, moved) } }, { onError: showError });
  };
  const mayOrder = may("categories.updateOrder");
  const createButton = may("categories.create") && (
    <Button look="primary" icon="plus" onClick={() => setCreating(true)}>
      {words.create}
    </Button>
  );
  return (
    <Page title={words.title} lead={words.lead} actions={rows && rows.length > 0 && createButton}>
      <ListView
        rows={rows}
        error={error}
        onRetry={refetch}
        empty={<EmptyState icon="layers" title={words.none} text={words.noneText} action={createButton} />}
      >
        {(all) => (
          <Table
            label={words.title}
            rows={all}
            keyOf={({ categoryId }) => categoryId}
            columns={[
              { title: words.name, cell: NameCell },
              { title: words.defaults, cell: DefaultsCell, isWideOnly: true },
              { title: words.workflows, cell: WorkflowsCell, isWideOnly: true },
              {
                title: "",
                isNumber: true,
                cell: (category) => {
                  const at = all.indexOf(category);
                  return (
                    <span className={css.tools}>
                      {mayOrder && (
                        <>
                          <IconButton
                            label={words.up(category.name)}
                            icon="arrowUp"
                            size="small"
                            disabled={at === 0 || order.isPending}
                            onClick={() => move(at, at - 1)}
                          />
                          <IconButton
                            label={words.down(category.name)}
                            icon="arrowDown"
                            size="small"
                            disabled={at === all.length - 1 || order.isPending}
                            onClick={() => move(at, at + 1)}
                          />
                        </>
                      )}
                      <CategoryMenu category={category} />
                    </span>
                  );
                },
              },
            ]}
          />
        )}
      </ListView>
      {isCreating && <CategoryDialog onClose={() => setCreating(false)} />}
    </Page>
  );
}

const NameCell = ({ name, categoryId, description, required }: Category) => (
  <>
    <strong>{name}</strong> <code className={css.id}>{categoryId}</code>{" "}
    {required && (
      <span title={words.requiredHint}>
        <Badge tone="info">{words.required}</Badge>
      </span>
    )}
    {description !== "" && <span className={css.description}>{description}</span>}
  </>
);

function DefaultsCell({ channels: defaults }: Category) {
  const texts = channels.flatMap((channel) => {
    const value = defaults[channel];
    const name = channelNames[channel];
    return value === undefined ? [] : [value ? words.on(name) : words.off(name)];
  });
  return texts.length > 0 ? texts.join(", ") : words.byWorkflow;
}

const WorkflowsCell = ({ workflows }: Category) =>
  workflows.length === 0 ? (
    words.noWorkflows
  ) : (
    <ul className={css.workflows}>
      {workflows.map(({ workflowId, name }) => (
        <li key={workflowId}>
          <Link to="/workflows/$workflowId" params={{ workflowId }}>
            {name}
          </Link>
        </li>
      ))}
    </ul>
  );

function CategoryMenu({ category }: { category: Category }) {
  const [isEditing, setEditing] = useState(false);
  const { confirm, dialog } = useConfirm();
  const may = useMay();
  const remove = useChange("categories.delete", ["categories.list"]);
  const { categoryId, name } = category;
  const question = { label: words.remove, isDanger: true, isAlways: true };
  const run = (force: boolean) =>
    remove.mutate(
      { params: { categoryId }, query: { force } },
      {
        onSuccess: () => showToast({ title: words.removed(name) }),
        // Choices of subscribers are only deleted after a second question, which says how many there are.
        onError: (error) =>
          error.code === "CATEGORY_HAS_CHOICES"
            ? confirm({ ...question, title: words.choicesTitle(name), text: words.choicesText(error.message) }, () =>
                run(true),
              )
            : showError(error),
      },
    );
  const entries = [
    ...(may("categories.update")
      ? [{ label: words.edit, icon: "pencil" as const, onChoose: () => setEditing(true) }]
      : []),
    ...(may("categories.delete")
      ? [
          { kind: "line" as const },
          {
            label: words.remove,
            icon: "trash" as const,
            isDanger: true,
            onChoose: () =>
              confirm({ ...question, title: words.removeTitle(name), text: words.removeText }, () => run(false)),
          },
        ]
      : []),
  ];
  if (entries.length === 0) return null;
  return (
    <>
      {dialog}
      <Menu align="end" trigger={<IconButton label={words.menu(name)} icon="more" size="small" />} entries={entries} />
      {isEditing && <CategoryDialog category={category} onClose={() => setEditing(false)} />}
    </>
  );
}
