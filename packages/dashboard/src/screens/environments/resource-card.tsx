// One resource that differs: what people will notice, who is in progress, and every field on request.
import type { InFlightStep, PublishCheck, PublishedResource, ResourceDiff } from "@tidings/contract";
import { useId, useState } from "react";
import type { Environment } from "../../api/auth.ts";
import { useOperation } from "../../api/hooks.ts";
import { ChangeList } from "../../drafts/change-list.tsx";
import { Icon } from "../../icons.tsx";
import { Time } from "../../kit/data/time.tsx";
import { Badge } from "../../kit/feedback/verdict.tsx";
import type { Tone } from "../../kit/tone.ts";
import { actionOf, differencesOf, idOf, nameOf, resourceIcons } from "./differences.ts";
import css from "./environments.module.css";
import { words } from "./words.ts";

const text = words.publish;
const tones: Record<ReturnType<typeof actionOf>, Tone> = { added: "good", modified: "accent", deleted: "bad" };

type ResourceCardProps = {
  resource: ResourceDiff;
  target: Environment;
  isChosen: boolean;
  /** Runs in progress are counted immediately, not only when the card is opened. */
  isCounted: boolean;
  /** Names of layouts that have to be chosen too. */
  missing: readonly string[];
  /** The resource's own errors, and what the target lacks for it. */
  checks: readonly PublishCheck[];
  /** Absent where the role does not allow to publish. */
  onChoose?: (isChosen: boolean) => void;
};

export function ResourceCard({ resource, target, isChosen, isCounted, missing, checks, onChoose }: ResourceCardProps) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const action = actionOf(resource);
  const { resourceType, sourceResource, targetResource } = resource;
  const kept = resourceType === "workflow" ? text.keptWorkflow : text.kept;
  const sentences = action === "deleted" && !isChosen ? [kept(target.name)] : (resource.sentences ?? []);
  const changed = sourceResource ?? targetResource;
  const runs = resourceType === "workflow" && targetResource && (isCounted || isOpen);
  return (
    <li className={css.resource} data-off={!isChosen}>
      <input
        type="checkbox"
        id={id}
        className={css.choice}
        checked={isChosen}
        disabled={!onChoose}
        aria-label={text.choose(nameOf(resource))}
        onChange={({ target: box }) => onChoose?.(box.checked)}
      />
      <div className={css.resourceBody}>
        <div className={css.resourceHead}>
          <label htmlFor={id} className={css.resourceName}>
            <Icon name={resourceIcons[resourceType as PublishedResource]} size={15} />
            <strong>{nameOf(resource)}</strong>
          </label>
          <Badge tone={tones[action]}>{text.kinds[action]}</Badge>
          <span className={css.weak}>{text.types[resourceType as PublishedResource]}</span>
          {changed?.updatedBy && changed.updatedAt && (
            <span className={css.author}>
              {text.changed(changed.updatedBy.firstName)}, <Time at={changed.updatedAt} isRelative />
            </span>
          )}
        </div>
        <ul className={css.sentences}>
          {sentences.map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
        {missing.map((name) => (
          <p key={name} className={css.warning}>
            <Icon name="alert" size={14} />
            {text.needs(name)}
          </p>
        ))}
        {checks.length > 0 && (
          <ul className={css.checks} aria-label={text.checks(nameOf(resource))}>
            {checks.map(({ message, isFault }) => (
              <li key={message} data-fault={isFault}>
                <Icon name="alert" size={14} />
                <span>{message}</span>
              </li>
            ))}
          </ul>
        )}
        {!isChosen && checks.some(({ isFault }) => isFault) && <p className={css.weak}>{text.faulty}</p>}
        {runs && <InFlight workflowId={idOf(resource)} target={target} isDeleted={action === "deleted"} />}
        {action === "modified" && (
          <details className={css.details} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
            <summary>{text.compare}</summary>
            {isOpen && <ChangeList differences={differencesOf(resource)} />}
          </details>
        )}
      </div>
    </li>
  );
}

type InFlightProps = { workflowId: string; target: Environment; isDeleted: boolean };

/** The runs of the target that wait, by version and step. */
function InFlight({ workflowId, target, isDeleted }: InFlightProps) {
  const { data } = useOperation(
    "workflows.retrieveInFlight",
    { params: { workflowId } },
    { environmentId: target._id },
  );
  if (!data || data.total === 0) return null;
  const sentence = isDeleted ? words.inFlight.cancel : words.inFlight.finish;
  return (
    <ul className={css.inFlight}>
      {groupsOf(data.data).map(({ key, count, step, version }) => (
        <li key={key}>
          <Icon name="clock" size={14} />
          {sentence(count, step, version)}
        </li>
      ))}
      {data.isCapped && <li>{words.inFlight.capped}</li>}
    </ul>
  );
}

type Group = { key: string; count: number; step: string; version: number };

function groupsOf(steps: readonly InFlightStep[]): Group[] {
  const groups = new Map<string, Group>();
  for (const { version, step, count } of steps) {
    const key = `${version} ${step._id}`;
    const known = groups.get(key);
    groups.set(key, { key, step: step.name, version, count: (known?.count ?? 0) + count });
  }
  return [...groups.values()];
}
