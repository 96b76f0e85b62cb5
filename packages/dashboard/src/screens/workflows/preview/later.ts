// Parts of the preview and the simulator that are loaded when they are used; ../later.ts has the simulator itself.
export { MissingValues, PayloadFields } from "./payload-fields.tsx";
export { SampleLanguage } from "./sample-language.tsx";
