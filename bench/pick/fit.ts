import { confidenceWeights, evidenceWeights } from "../../src/registry/selection/tool-index.ts";
import { table } from "../numbers.ts";
import type { SelectionData } from "./data.ts";
import { type Counts, countNames, fitCounts, recallAt5 } from "./fit/fit-counts.ts";
import {
  type Answered,
  answeredOf,
  fitTrust,
  lossOf,
  sayings,
  type Trust,
  trustIn,
} from "./fit/fit-trust.ts";
import { type Asked, type Gathered, gather } from "./fit/gather.ts";
import { areaUnderCurve } from "./metrics.ts";
import { share } from "./show.ts";

/** A smaller improvement of recall is noise. */
const leastBetter = 0.003;

/**
 * Fits the constants of `src/registry/selection/tool-index.ts`. Counts are also fitted without each source
 * and tested on it; trust is fitted for the counts in the code.
 */
export const fitText = (data: SelectionData, say: (text: string) => void) => {
  const gathered = gather(data, say);
  const found = fitAllCounts(gathered.own, say);
  const trusted = fitAllTrust(gathered, say);
  return {
    text: [found.text, trusted.text].join("\n\n"),
    json: { counts: found.json, trust: trusted.json },
  };
};

interface Recall {
  readonly bySource: readonly number[];
  readonly macro: number;
  readonly micro: number;
}

const fitAllCounts = (own: readonly Asked[], say: (text: string) => void) => {
  const sources = [...Map.groupBy(own, ({ source }) => source)];
  say("fit: counts on all sources");
  const onAll = fitCounts(own);
  const without = sources.map(([left]) => {
    say(`fit: counts without ${left}`);
    return fitCounts(own.filter(({ source }) => source !== left));
  });
  const recallOf = (countsFor: (at: number) => Counts): Recall => {
    const bySource = sources.map(([, all], at) => mean(all.map((one) => recallAt5(one, countsFor(at)))));
    const sum = bySource.reduce((so, one, at) => so + one * sources[at]![1].length, 0);
    return { bySource, macro: mean(bySource), micro: sum / own.length };
  };
  const recall = {
    "as in the code": recallOf(() => evidenceWeights),
    "fitted on all": recallOf(() => onAll),
    "fitted without the source": recallOf((at) => without[at]!),
  };
  const unseen = recall["fitted without the source"];
  const gain = (by: "macro" | "micro") => unseen[by] - recall["as in the code"][by];
  const isBetter = Math.max(gain("macro"), gain("micro")) >= leastBetter;
  const countRow = (title: string, one: Counts) => [title, ...countNames.map((name) => one[name].toFixed(2))];
  const text = [
    table([
      ["counts", ...countNames],
      countRow("as in the code", evidenceWeights),
      countRow("fitted on all", onAll),
      ...sources.map(([source], at) => countRow(`without ${source}`, without[at]!)),
    ]),
    table([
      ["R@5", ...sources.map(([source]) => source), "macro", "micro"],
      ...Object.entries(recall).map(([title, { bySource, macro, micro }]) => [
        title,
        ...[...bySource, macro, micro].map(share),
      ]),
    ]),
    isBetter
      ? "The fitted counts find more, also in sources that they were not fitted on: use them."
      : `Keep the counts of the code: fitted ones gain less than ${leastBetter} in sources that they were not fitted on.`,
  ].join("\n\n");
  return { text, json: { committed: evidenceWeights, fitted: onAll, recall, isBetter } };
};

const fitAllTrust = ({ own, answerable, none }: Gathered, say: (text: string) => void) => {
  say("fit: trust");
  const all = answeredOf(own, none, evidenceWeights);
  const fitted = fitTrust(all);
  const sources = [...new Set(own.map(({ source }) => source))];
  const unseen = sources.map((left) => {
    const isLeft = ({ source }: Asked) => source === left;
    const others = own.filter((one) => !isLeft(one));
    const theirs = answeredOf(own.filter(isLeft), [], evidenceWeights);
    return { source: left, ...lossesOf(theirs, fitTrust(answeredOf(others, none, evidenceWeights))) };
  });
  const bestOf = (some: readonly Asked[], given: Trust) =>
    some.map((one) => answeredOf([one], [], evidenceWeights).map(({ best }) => trustIn(best, given))[0] ?? 0);
  const area = (given: Trust) => areaUnderCurve(bestOf(answerable, given), bestOf(none, given));
  const measured = (given: Trust) => ({
    loss: lossOf(all, given),
    area: area(given),
    tenths: tenthsOf(all, given),
  });
  const committedDoes = measured(confidenceWeights);
  const fittedDoes = measured(fitted);
  const names = Object.keys(confidenceWeights) as (keyof Trust)[];
  const row = (title: string, one: Trust, does: typeof fittedDoes) => [
    title,
    ...names.map((name) => one[name].toFixed(3)),
    does.loss.toFixed(4),
    share(does.area),
  ];
  const text = [
    table([
      ["trust", ...names, "log loss", "AUC"],
      row("as in the code", confidenceWeights, committedDoes),
      row("fitted on all", fitted, fittedDoes),
    ]),
    table([
      ["log loss", ...sources],
      ["as in the code", ...unseen.map(({ committed }) => committed.toFixed(4))],
      ["fitted without the source", ...unseen.map(({ without }) => without.toFixed(4))],
    ]),
    table([
      ["likelihood", "tools", "said", "true", "tools, fitted", "said", "true"],
      ...committedDoes.tenths.map((one, at) => [
        `${share(at / 10)} to ${share((at + 1) / 10)}`,
        ...[one, fittedDoes.tenths[at]!].flatMap(({ tools, said, true: right }) =>
          tools === 0 ? ["0", "", ""] : [String(tools), share(said), share(right)],
        ),
      ]),
    ]),
  ].join("\n\n");
  return {
    text,
    json: {
      committed: { ...confidenceWeights, ...committedDoes },
      fitted: { ...fitted, ...fittedDoes },
      unseen,
    },
  };
};

const lossesOf = (all: readonly Answered[], without: Trust) => ({
  committed: lossOf(all, confidenceWeights),
  without: lossOf(all, without),
});

/**
 * Calibration by tenths: the stated and the actual probability. Queries have the same weight as in the fit.
 */
const tenthsOf = (all: readonly Answered[], given: Trust) => {
  const byTenth = Map.groupBy(sayings(all, given), ({ said }) => Math.min(9, Math.floor(10 * said)));
  return Array.from({ length: 10 }, (_, tenth) => {
    const some = byTenth.get(tenth) ?? [];
    const total = some.reduce((sum, { weight }) => sum + weight, 0);
    const said = some.reduce((sum, one) => sum + one.weight * one.said, 0) / total;
    const right = some.reduce((sum, { weight, isRight }) => sum + (isRight ? weight : 0), 0) / total;
    return { tools: some.length, said, true: right };
  });
};

const mean = (values: readonly number[]): number => values.reduce((sum, one) => sum + one, 0) / values.length;
