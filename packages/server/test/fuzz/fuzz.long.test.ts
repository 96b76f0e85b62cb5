// The long run of fuzz.ts, with other input every time. FUZZ_RUNS=2000 makes a longer one, FUZZ_SEED repeats a run.
import { isLong } from "@tidings/testkit/long";
import { openScene } from "../conformance/scene.ts";
import { fuzzRecords, fuzzSettings } from "./fuzz.ts";

const { FUZZ_RUNS, FUZZ_SEED } = process.env;
const seed = FUZZ_SEED ? Number(FUZZ_SEED) : undefined;
const fuzz = { runs: Number(FUZZ_RUNS ?? (isLong ? 100 : 5)), seedOf: () => seed };

const scene = await openScene();
fuzzRecords(scene, fuzz);
fuzzSettings(scene, fuzz);
