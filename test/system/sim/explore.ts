// allow-sleep in this file: a soak explores for as long as it may
import type { Disturber } from "./disturbances.ts";
import { type History, type Played, playHistory } from "./history.ts";
import type { Order } from "./order.ts";
import { type Scenario, smallScenario } from "./scenario.ts";
import type { Point } from "./scheduler.ts";
import type { Mutation, StoreKind } from "./shared-store.ts";

/** One place in a history where another runtime could have gone on. */
interface Choice {
  readonly taken: number;
  readonly of: number;
  /** Taking another one than the first takes the turn away from a runtime that could go on. */
  readonly isPreemption: boolean;
}

export interface Exploration {
  readonly histories: number;
  readonly steps: number;
  /** Whether every order within the bound was played, or the count or the time came first. */
  readonly isComplete: boolean;
  /** The first history that broke a promise. */
  readonly broken?: Played;
}

export interface ExploreOptions {
  readonly store: StoreKind;
  /** So often may a runtime be left that could go on. */
  readonly preemptions: number;
  readonly mostHistories?: number;
  readonly withinMs?: number;
  readonly scene: Scene;
  readonly mutate?: Mutation | undefined;
}

/** What two runtimes do that is to be played in every order. */
export interface Scene {
  readonly scenario: Scenario;
  /** What each of them does besides its own run, as soon as it can. */
  readonly acts: (history: History) => void;
  /** Whether it is time for the acts. */
  readonly isTime: (history: History) => boolean;
}

/**
 * Every order of steps with at most so many preemptions, depth first: each history is played from the start, with the
 * choices of the one before up to the last that has an alternative left.
 */
export const explore = async (options: ExploreOptions): Promise<Exploration> => {
  const { mostHistories = Number.POSITIVE_INFINITY, withinMs = Number.POSITIVE_INFINITY } = options;
  const began = performance.now();
  let histories = 0;
  let steps = 0;
  let prefix: readonly number[] | undefined = [];
  while (prefix !== undefined) {
    if (histories >= mostHistories || performance.now() - began > withinMs) {
      return { histories, steps, isComplete: false };
    }
    const choices: Choice[] = [];
    const played: Played = await playHistory({
      store: options.store,
      scenario: options.scene.scenario,
      order: recordedOrder(prefix, choices),
      disturb: actsOf(options.scene),
      ending: "resume",
      mutate: options.mutate,
    });
    histories += 1;
    steps += played.steps.length;
    if (played.violations.length > 0) return { histories, steps, isComplete: false, broken: played };
    prefix = nextPrefix(choices, options.preemptions);
  }
  return { histories, steps, isComplete: true };
};

/** Follows the prefix, and then stays with whoever went on last, as long as that one can go on. */
const recordedOrder = (prefix: readonly number[], choices: Choice[]): Order => {
  return (ready, last) => {
    const actors = [...new Set(ready.map(({ actor }) => actor))].toSorted();
    const canStay = last !== undefined && actors.includes(last);
    const inOrder = canStay ? [last, ...actors.filter((actor) => actor !== last)] : actors;
    const taken = prefix[choices.length] ?? 0;
    choices.push({ taken, of: inOrder.length, isPreemption: canStay });
    return ready.find(({ actor }) => actor === inOrder[taken]) as Point;
  };
};

const nextPrefix = (choices: readonly Choice[], most: number): readonly number[] | undefined => {
  for (let place = choices.length - 1; place >= 0; place -= 1) {
    const { taken, of, isPreemption } = choices[place]!;
    if (taken + 1 >= of) continue;
    const before = choices.slice(0, place);
    const used = before.filter((choice) => choice.isPreemption && choice.taken > 0).length;
    if (isPreemption && used + 1 > most) continue;
    return [...before.map((choice) => choice.taken), taken + 1];
  }
  return undefined;
};

const actsOf = ({ acts, isTime }: Scene): Disturber => {
  let isDone = false;
  return (history) => {
    if (isDone || !isTime(history)) return undefined;
    isDone = true;
    return { text: "the acts begin", apply: acts };
  };
};

const runNamed = ({ names }: History, name: string): string =>
  [...names.runs].find(([, each]) => each === name)?.[0] ?? "";

const scenes = {
  /** Each has a run of its own; B gives up the run of A meanwhile, and A resumes that of B. */
  "each interferes with the other's run": {
    scenario: smallScenario(),
    isTime: ({ names }) => names.runs.size === 2,
    acts: (history) => {
      history.giveUp("B", runNamed(history, "r1"));
      history.resume("A", runNamed(history, "r2"));
    },
  },
  /** A run waits for a person, and both go on with it at once: one with the question, one with the run. */
  "both go on with a run that waited": {
    scenario: { ...smallScenario("refund"), runs: smallScenario("refund").runs.slice(0, 1) },
    isTime: ({ tasks }) => tasks.some(({ response }) => response?.status === "pending"),
    acts: (history) => {
      const [question] = history.questions;
      history.answer("A", question ?? "", true);
      history.answer("B", question ?? "", true);
      history.resume("B", runNamed(history, "r1"));
      history.resume("A", runNamed(history, "r1"));
    },
  },
  /** B takes A for dead while A works, and resumes its run. */
  "a run is taken from a runtime that lives": {
    scenario: { ...smallScenario(), runs: smallScenario().runs.slice(0, 1) },
    isTime: ({ names }) => names.runs.size === 1,
    acts: (history) => {
      history.shared.pretend("A", false);
      history.resume("B", runNamed(history, "r1"));
    },
  },
} satisfies Readonly<Record<string, Scene>>;

export type SceneName = keyof typeof scenes;
export const sceneNamed = (name: SceneName): Scene => scenes[name];
export const sceneNames = Object.keys(scenes) as readonly SceneName[];
