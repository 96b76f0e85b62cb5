// Preferences and the schedule of the subscriber. Changes are shown at once and reverted if the service refuses them.
import type { Api } from "./api.ts";
import type { Store } from "./store.ts";
import type { CategoryPreference, InboxState, Preference, PreferenceChannels, Schedule } from "./types.ts";
import type { CategoryList, PreferenceList } from "./wire.ts";

export function createPreferences(api: Api, store: Store<InboxState>) {
  /** One change at a time: responses arrive in the order of the clicks. */
  let last: Promise<unknown> = Promise.resolve();
  const isFor = (workflowId: string | null) => (entry: Preference) =>
    workflowId === null ? entry.level === "global" : entry.workflow?.id === workflowId;

  const load = async (): Promise<Preference[]> => {
    const { data } = await api.json<PreferenceList>("/preferences");
    const hasCategories = data.some(({ categoryId }) => categoryId !== undefined);
    const categories = hasCategories ? (await api.json<CategoryList>("/preferences/categories")).data : [];
    store.set({ preferences: data, categories });
    return data;
  };

  const edit = (isTarget: (entry: Preference) => boolean, change: (entry: Preference) => Preference) => {
    const { preferences } = store.getState();
    store.set({ preferences: preferences?.map((entry) => (isTarget(entry) ? change(entry) : entry)) ?? null });
  };

  /** `isForSeveral`: the choice decides for workflows that have none, so all are read again. */
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

  const save = (workflowId: string | null, body: object, change: (entry: Preference) => Preference): Promise<void> => {
    edit(isFor(workflowId), change);
    return send(workflowId === null ? "" : `/${encodeURIComponent(workflowId)}`, body, workflowId === null);
  };

  return {
    /** Reads the preferences into `state.preferences`. */
    loadPreferences: load,
    /** Changes channels of one workflow (`workflow.id`), or of everything with null. */
    updatePreference: (workflowId: string | null, channels: PreferenceChannels): Promise<void> =>
      save(workflowId, channels, (entry) => ({ ...entry, channels: { ...entry.channels, ...channels } })),
    /** Changes channels of a category. */
    updateCategoryPreference: (categoryId: string, channels: PreferenceChannels): Promise<void> => {
      const { categories } = store.getState();
      const change = (one: CategoryPreference) =>
        one.categoryId === categoryId ? { ...one, channels: { ...one.channels, ...channels } } : one;
      store.set({ categories: categories.map(change) });
      return send(`/categories/${encodeURIComponent(categoryId)}`, channels, true);
    },
    /** Replaces the schedule as a whole. */
    updateSchedule: (schedule: Schedule): Promise<void> =>
      save(null, { schedule }, (entry) => ({ ...entry, schedule })),
  };
}
