/** A fault that is planted into the source of a module: `from` becomes `to`. */
export type Mutation = { name: string; file: string; from: string; to: string };

export const mutations: Mutation[] = [];
