// Preferences: read and drawn when they are first opened.
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Preference } from "../client/types.ts";
import { useUi } from "./ui.ts";

type View = ComponentType<{ preferences: Preference[] }>;

export function Preferences({ preferences }: { preferences: Preference[] | null }) {
  const { inbox, labels } = useUi();
  const [hasFailed, setFailed] = useState(false);
  const [View, setView] = useState<View | null>(null);
  const load = () => {
    setFailed(false);
    const loaded = import("../later/later.tsx").then(({ PreferencesView }) => setView(() => PreferencesView));
    Promise.all([inbox.loadPreferences(), loaded]).catch(() => setFailed(true));
  };
  useEffect(load, [inbox]);
  if (preferences && View) return <View preferences={preferences} />;
  return hasFailed ? (
    <div class="empty" role="alert">
      <h3>{labels.errorTitle}</h3>
      <button type="button" class="action secondary" onClick={load}>
        {labels.retry}
      </button>
    </div>
  ) : (
    <div class="more">
      <span class="spinner" />
    </div>
  );
}
