// Chooses the subscriber, the context and the payload of the preview and the simulator.
import { lazy, Suspense, useState } from "react";
import { CodeField } from "../../../fields/code-field.tsx";
import { jsonFault } from "../../../fields/json-fault.ts";
import { Icon } from "../../../icons.tsx";
import { Button } from "../../../kit/inputs/button.tsx";
import { Menu, type MenuEntry } from "../../../kit/overlays/menu.tsx";
import { SubscriberPicker } from "../../../subscribers/subscriber-picker.tsx";
import type { Values } from "../editor/model.ts";
import css from "./preview.module.css";
import { ContextPicker, payloadEntries } from "./sample-choices.tsx";
import type { Sample } from "./use-sample.ts";
import { words } from "./words.ts";

const MissingValues = lazy(() => import("./later.ts").then((module) => ({ default: module.MissingValues })));
const PayloadFields = lazy(() => import("./later.ts").then((module) => ({ default: module.PayloadFields })));

type SampleBarProps = {
  sample: Sample;
  /** What the step uses: values that the payload does not have are offered. */
  values?: Values;
};

export function SampleBar({ sample, values }: SampleBarProps) {
  return (
    <div className={css.sample}>
      <SubscriberPicker
        label={words.subscriber}
        placeholder={words.sampleSubscriber}
        subscriber={sample.subscriber}
        onChoose={sample.setSubscriber}
      />
      <ContextPicker chosen={sample.context} onChoose={sample.setContext} />
      <SamplePayload sample={sample} size="small" values={values} />
    </div>
  );
}

/** The menu of payloads, and the payload itself when it is to be changed. */
export function SamplePayload({ sample, size, values }: SampleBarProps & { size?: "small" }) {
  const [isOpen, setOpen] = useState(false);
  const [isRaw, setRaw] = useState(false);
  const { payload } = sample;
  const setPayload = (next: Values) => sample.setPayloadText(JSON.stringify(next, null, 2));
  const fillIn = (next: Values) => {
    setPayload(next);
    setOpen(true);
  };
  const entries: MenuEntry[] = [
    {
      label: isOpen ? words.hidePayload : words.showPayload,
      icon: "code",
      onChoose: () => {
        // There is no field in an empty payload.
        if (!isOpen && payload && Object.keys(payload).length === 0) setRaw(true);
        setOpen(!isOpen);
      },
    },
    { kind: "line" },
    ...payloadEntries(sample, (text, subscriber) => {
      sample.setPayloadText(text);
      if (subscriber) sample.setSubscriber(subscriber);
    }),
  ];
  return (
    <>
      <Menu
        align="end"
        trigger={
          <Button size={size}>
            {words.payload}
            <Icon name="chevronDown" size={13} />
          </Button>
        }
        entries={entries}
      />
      {values && payload && (
        <Suspense>
          <MissingValues values={values} payload={payload} onFill={fillIn} />
        </Suspense>
      )}
      {(isOpen || payload === null) && (
        <div className={css.payload}>
          {payload && !isRaw ? (
            <Suspense>
              <PayloadFields payload={payload} onChange={setPayload} />
            </Suspense>
          ) : (
            <CodeField
              label={words.payloadLabel}
              language="json"
              text={sample.payloadText}
              isReadOnly={false}
              isAlone
              error={payload === null ? words.badPayload(jsonFault(sample.payloadText)) : undefined}
              onChange={sample.setPayloadText}
            />
          )}
          {payload && (
            <Button size="small" look="plain" onClick={() => setRaw(!isRaw)}>
              {isRaw ? words.asFields : words.asJson}
            </Button>
          )}
        </div>
      )}
    </>
  );
}
