// Words of a workflow's experiments.
import type { ExperimentFigure, ExperimentStatistics, ExperimentVariant } from "@tidings/contract";

const plural = (count: number, one: string, many: string): string =>
  `${count.toLocaleString("en")} ${count === 1 ? one : many}`;

const percent = (share: number): string => (share * 100).toFixed(1);
const signed = (share: number): string => {
  const text = Math.abs(share * 100).toFixed(1);
  return share < 0 ? `−${text}` : share > 0 ? `+${text}` : text;
};

const figureNames: Record<ExperimentFigure["figure"], string> = {
  sent: "Sent",
  delivered: "Delivered",
  opened: "Opened",
  clicked: "Clicked",
  read: "Read in the inbox",
  goal: "Goal",
};

export const words = {
  none: "This workflow has no experiment",
  noneText: "Add an experiment step to compare variants.",
  nobody: "Nobody is in this experiment yet",
  nobodyText: "Its numbers appear here when the first run has passed the step.",
  nobodyWithin: "Choose a longer time to see earlier runs.",
  range: "Time",
  ranges: { 7: "7 days", 30: "30 days", 90: "90 days" },
  measure: "Measure",
  figureName: ({ figure, goal }: Pick<ExperimentFigure, "figure" | "goal">): string =>
    goal === undefined ? figureNames[figure] : `Goal: ${goal}`,
  variant: "Variant",
  variantName: ({ id, name, isHeldOut }: ExperimentVariant): string => (isHeldOut ? "Held out" : (name ?? id)),
  first: "Baseline",
  former: "Former",
  people: "People",
  share: "Share",
  shareText: ({ share }: ExperimentFigure): string => `${percent(share)} %`,
  bounds: ({ low, high }: ExperimentFigure): string => `${percent(low)} to ${percent(high)} %`,
  difference: "Difference in points",
  differenceText: ({ versusFirst }: ExperimentFigure): string =>
    versusFirst ? `${signed(versusFirst.difference)} (${signed(versusFirst.low)} to ${signed(versusFirst.high)})` : "",
  counted: ({ runs, isComplete, moved }: ExperimentStatistics): string =>
    [
      isComplete ? `${plural(runs, "run", "runs")}.` : `The newest ${plural(runs, "run", "runs")}.`,
      "A person counts once, in the variant of the first run.",
      moved > 0
        ? `${plural(moved, "person has", "people have")} changed the variant since, because weights changed.`
        : "",
    ]
      .filter(Boolean)
      .join(" "),
  caution:
    "Intervals hold for one look. Decide in advance how many people you wait for: whoever stops at the first " +
    "difference often finds one that does not exist.",
} as const;
