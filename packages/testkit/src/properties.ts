// fast-check, with the same values in every short run. It prints the seed of a property that fails.
import fc from "fast-check";
import { chooseSeed } from "./long.ts";

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: chooseSeed(1, process.env.PROPERTY_SEED) });

export default fc;
