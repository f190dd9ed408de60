import { randomDisturber } from "./disturbances.ts";
import { type Driver, type Played, playHistory } from "./history.ts";
import { type MutationName, mutations } from "./mutations.ts";
import { randomOrder } from "./order.ts";
import { randomScenario } from "./scenario.ts";
import type { StoreKind } from "./shared-store.ts";

/** The input of one random history. */
export interface Draw {
  readonly seed: number;
  readonly store: StoreKind;
  readonly drivenBy?: Driver | undefined;
  /** Numbers of the disturbances to leave out. */
  readonly without?: readonly number[];
  readonly mutation?: MutationName | undefined;
}

export const playSeed = ({
  seed,
  store,
  drivenBy = "agent",
  without = [],
  mutation,
}: Draw): Promise<Played> =>
  playHistory({
    store,
    drivenBy,
    scenario: randomScenario(seed),
    order: randomOrder(seed),
    disturb: randomDisturber(seed, new Set(without)),
    ending: seed % 5 === 0 ? "give up" : "resume",
    mutate: mutation === undefined ? undefined : mutations[mutation],
  });

export interface Broken {
  readonly draw: Draw;
  readonly played: Played;
}

export interface Campaign {
  readonly histories: number;
  readonly steps: number;
  readonly disturbances: number;
  readonly ms: number;
  /** Number of task outcomes, such as `resume: done`. */
  readonly outcomes: Readonly<Record<string, number>>;
  readonly broken: readonly Broken[];
}

export interface CampaignOptions {
  readonly store: StoreKind;
  readonly drivenBy?: Driver | undefined;
  readonly seeds: Iterable<number>;
  readonly mutation?: MutationName | undefined;
  /** Stops after this many histories that violate an invariant. */
  readonly mostBroken?: number;
  /** Does not shrink a violating history. */
  readonly keepLong?: boolean;
}

/** Plays a history per seed, and shrinks those that violate an invariant. */
export const playSeeds = async (options: CampaignOptions): Promise<Campaign> => {
  const { store, drivenBy, seeds, mutation, mostBroken = 3, keepLong = false } = options;
  // allow-sleep: for the report
  const began = performance.now();
  const outcomes: Record<string, number> = {};
  const broken: Broken[] = [];
  let histories = 0;
  let steps = 0;
  let disturbances = 0;
  for (const seed of seeds) {
    const draw = { seed, store, drivenBy, mutation };
    const played = await playSeed(draw);
    histories += 1;
    steps += played.steps.length;
    disturbances += played.disturbances.length;
    for (const outcome of played.outcomes) outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    if (played.violations.length > 0) broken.push(await shrink({ draw, played }, keepLong));
    if (broken.length >= mostBroken) break;
  }
  // allow-sleep: for the report
  return { histories, steps, disturbances, ms: performance.now() - began, outcomes, broken };
};

const numberOf = (disturbance: string): number => Number(/^#(\d+)/.exec(disturbance)?.[1]);

/** Leaves out one disturbance after another, from the last on, while an invariant is still violated. */
const shrink = async (broken: Broken, keepLong: boolean): Promise<Broken> => {
  let smallest = broken;
  if (keepLong) return broken;
  for (const number of broken.played.disturbances.map(numberOf).toReversed()) {
    const draw = { ...smallest.draw, without: [...(smallest.draw.without ?? []), number] };
    const played = await playSeed(draw);
    if (played.violations.length > 0) smallest = { draw, played };
  }
  return smallest;
};

export const replayCommand = ({ seed, store, drivenBy = "agent", without = [], mutation }: Draw): string =>
  [
    `npm run sim -- --seed ${seed} --store ${store}`,
    ...(drivenBy === "agent" ? [] : [`--driven-by ${drivenBy}`]),
    ...(without.length === 0 ? [] : [`--without ${without.toSorted((a, b) => a - b).join(",")}`]),
    ...(mutation === undefined ? [] : [`--mutation "${mutation}"`]),
  ].join(" ");

/** Report of a violation for debugging. */
export const describeBroken = ({ draw, played }: Broken): string =>
  [
    `seed ${draw.seed}, ${draw.store}:`,
    ...played.violations.map((violation) => `  ${violation}`),
    ...played.disturbances.map((disturbance) => `    ${disturbance}`),
    `  replay: ${replayCommand(draw)}`,
  ].join("\n");
