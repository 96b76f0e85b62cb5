// Deletes a variable, or says what still uses it.
import { Link } from "@tanstack/react-router";
import { useChange, useOperation } from "../../api/hooks.ts";
import { useSession } from "../../api/session.tsx";
import { ErrorPanel, Skeleton } from "../../kit/feedback/states.tsx";
import { Button } from "../../kit/inputs/button.tsx";
import { Dialog } from "../../kit/overlays/dialog.tsx";
import { FormDialog } from "../../kit/overlays/form-dialog.tsx";
import { showToast } from "../../kit/overlays/toast.tsx";
import css from "./environments.module.css";
import { words } from "./words.ts";

const text = words.variables;

type VariableRemovalProps = { variableKey: string; onClose: () => void };

export function VariableRemoval({ variableKey, onClose }: VariableRemovalProps) {
  const params = { variableKey };
  const { data, error } = useOperation("environmentVariables.usage", { params }, { staleTime: 0 });
  const remove = useChange("environmentVariables.delete", ["environmentVariables.list"]);
  const isUsed = data !== undefined && data.workflows.length + data.layouts.length > 0;
  if (isUsed)
    return (
      <Dialog
        isOpen
        onClose={onClose}
        title={text.usedTitle(variableKey)}
        description={text.usedText}
        actions={
          <Button look="primary" onClick={onClose}>
            {text.close}
          </Button>
        }
      >
        <Users {...data} />
      </Dialog>
    );
  const submit = () =>
    remove.mutate(
      { params },
      {
        onSuccess: () => {
          showToast({ title: text.removed(variableKey) });
          onClose();
        },
      },
    );
  return (
    <FormDialog
      title={text.removeTitle(variableKey)}
      description={text.removeText}
      submit={text.remove}
      isDanger
      isDisabled={data === undefined || remove.isPending}
      error={remove.error}
      onClose={onClose}
      onSubmit={submit}
    >
      {error ? <ErrorPanel error={error} /> : data === undefined && <Skeleton rows={1} />}
    </FormDialog>
  );
}

type User = { name: string; _environmentId: string };
type UsersProps = { workflows: (User & { workflowId: string })[]; layouts: (User & { layoutId: string })[] };

function Users({ workflows, layouts }: UsersProps) {
  const { environments } = useSession();
  const find = (id: string) => environments.find(({ _id }) => _id === id);
  const place = ({ _environmentId: id }: User) => ({ env: find(id)?.identifier });
  return (
    <ul className={css.users}>
      {workflows.map((one) => (
        <li key={`${one._environmentId} ${one.workflowId}`}>
          <Link to="/workflows/$workflowId" params={{ workflowId: one.workflowId }} search={place(one)}>
            {one.name}
          </Link>{" "}
          {text.inEnvironment(find(one._environmentId)?.name ?? "")}
        </li>
      ))}
      {layouts.map((one) => (
        <li key={`${one._environmentId} ${one.layoutId}`}>
          <Link to="/layouts/$layoutId" params={{ layoutId: one.layoutId }} search={place(one)}>
            {one.name}
          </Link>{" "}
          {text.inEnvironment(find(one._environmentId)?.name ?? "")}
        </li>
      ))}
    </ul>
  );
}
