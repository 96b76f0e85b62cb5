// Preferences and the schedule of the subscriber. Changes are shown at once and reverted if the service refuses them.
import type { Api } from "./api.ts";
import type { Store } from "./store.ts";
import type { DigestFrequency, InboxState, Preference, PreferenceChannels, Schedule } from "./types.ts";
import type { CategoryList, PreferenceList } from "./wire.ts";

export function createPreferences(api: Api, store: Store<InboxState>) {
  /** One change at a time: responses arrive in the order of the clicks. */
  let last: Promise<unknown> = Promise.resolve();

  const load = async (): Promise<Preference[]> => {
    const { data } = await api.json<PreferenceList>("/preferences");
    store.set({
      preferences: data,
      categories: data.some((entry) => entry.categoryId)
        ? (await api.json<CategoryList>("/preferences/categories")).data
        : [],
    });
    return data;
  };

  /**
   * `isForSeveral`: the choice decides for workflows that have none, so all are read again. Ids in a path have no
   * characters to encode.
   */
  const send = (path: string, body: object, isForSeveral: boolean): Promise<void> => {
    const work = last.then(async () => {
      try {
        await api.json(`/preferences${path}`, { method: "PATCH", body });
      } catch (error) {
        await load().catch(() => {});
        throw error;
      }
      if (isForSeveral) await load();
    });
    last = work.catch(() => {});
    return work;
  };

  const save = (
    workflowId: string | null,
    body: object,
    change = (entry: Preference): Preference => ({ ...entry, ...body }),
  ): Promise<void> => {
    // The global entry has no workflow.
    const changed = store
      .getState()
      .preferences?.map((entry) => ((entry.workflow?.id ?? null) === workflowId ? change(entry) : entry));
    store.set({ preferences: changed ?? null });
    return send(workflowId ? `/${workflowId}` : "", body, !workflowId);
  };

  return {
    /** Reads the preferences into `state.preferences`. */
    loadPreferences: load,
    /** Changes channels of one workflow (`workflow.id`), or of everything with null. */
    updatePreference: (workflowId: string | null, channels: PreferenceChannels): Promise<void> =>
      save(workflowId, channels, (entry) => ({ ...entry, channels: { ...entry.channels, ...channels } })),
    /** Changes channels of a category, which is shown when it is stored. */
    updateCategoryPreference: (categoryId: string, channels: PreferenceChannels): Promise<void> =>
      send(`/categories/${categoryId}`, channels, true),
    /** Replaces the schedule as a whole. */
    updateSchedule: (schedule: Schedule): Promise<void> => save(null, { schedule }),
    /** Changes how often the digest of a workflow (`workflow.id`) is sent; null: as the workflow decides. */
    updateDigestFrequency: (workflowId: string, digestFrequency: DigestFrequency | null): Promise<void> =>
      save(workflowId, { digestFrequency }),
  };
}
