// Preferences and the schedule of the subscriber. Changes are shown at once and reverted if the service refuses them.
import type { Api } from "./api.ts";
import type { Store } from "./store.ts";
import type { InboxState, Preference, PreferenceChannels, Schedule } from "./types.ts";
import type { PreferenceList } from "./wire.ts";

export function createPreferences(api: Api, store: Store<InboxState>) {
  /** One change at a time: responses arrive in the order of the clicks. */
  let last: Promise<unknown> = Promise.resolve();
  const isFor = (workflowId: string | null) => (entry: Preference) =>
    workflowId === null ? entry.level === "global" : entry.workflow?.id === workflowId;

  const load = async (): Promise<Preference[]> => {
    const { data } = await api.json<PreferenceList>("/preferences");
    store.set({ preferences: data });
    return data;
  };

  const edit = (isTarget: (entry: Preference) => boolean, change: (entry: Preference) => Preference) => {
    const { preferences } = store.getState();
    store.set({ preferences: preferences?.map((entry) => (isTarget(entry) ? change(entry) : entry)) ?? null });
  };

  const save = (workflowId: string | null, body: object, change: (entry: Preference) => Preference): Promise<void> => {
    edit(isFor(workflowId), change);
    const path = workflowId === null ? "/preferences" : `/preferences/${encodeURIComponent(workflowId)}`;
    const work = last.then(async () => {
      try {
        await api.json(path, { method: "PATCH", body });
      } catch (error) {
        await load().catch(() => {});
        throw error;
      }
      // The global choice decides for workflows that have no choice.
      if (workflowId === null) await load();
    });
    last = work.catch(() => {});
    return work;
  };

  return {
    /** Reads the preferences into `state.preferences`. */
    loadPreferences: load,
    /** Changes channels of one workflow (`workflow.id`), or of everything with null. */
    updatePreference: (workflowId: string | null, channels: PreferenceChannels): Promise<void> =>
      save(workflowId, channels, (entry) => ({ ...entry, channels: { ...entry.channels, ...channels } })),
    /** Replaces the schedule as a whole. */
    updateSchedule: (schedule: Schedule): Promise<void> =>
      save(null, { schedule }, (entry) => ({ ...entry, schedule })),
  };
}
