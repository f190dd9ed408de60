// allow-sleep in this file: a soak explores for as long as it may
import type { Disturber } from "./disturbances.ts";
import { type History, type Played, playHistory } from "./history.ts";
import type { Order } from "./order.ts";
import { type Scenario, smallScenario } from "./scenario.ts";
import type { Point } from "./scheduler.ts";
import type { Mutation, StoreKind } from "./shared-store.ts";

/** A point of a history at which another runtime could have continued. */
interface Choice {
  readonly taken: number;
  readonly of: number;
  /** Every choice but the first interrupts a runtime that could continue. */
  readonly isPreemption: boolean;
}

export interface Exploration {
  readonly histories: number;
  readonly steps: number;
  /** Whether every order within the bound was played before the count or time limit. */
  readonly isComplete: boolean;
  /** The first history that violated an invariant. */
  readonly broken?: Played;
}

export interface ExploreOptions {
  readonly store: StoreKind;
  /** Maximum number of preemptions. */
  readonly preemptions: number;
  readonly mostHistories?: number;
  readonly withinMs?: number;
  readonly scene: Scene;
  readonly mutate?: Mutation | undefined;
}

/** Actions of two runtimes to play in every order. */
export interface Scene {
  readonly scenario: Scenario;
  /** Actions besides the runs themselves, started as soon as possible. */
  readonly acts: (history: History) => void;
  /** Whether the actions can start. */
  readonly isTime: (history: History) => boolean;
}

/**
 * Plays every order of steps with a limited number of preemptions, depth first: each history starts over with
 * the choices of the one before, up to the last one with an alternative.
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

/** Follows the prefix, and then keeps the current runtime as long as it can continue. */
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
  /** Each has its own run; B cancels the run of A, and A resumes the run of B. */
  "each interferes with the other's run": {
    scenario: smallScenario(),
    isTime: ({ names }) => names.runs.size === 2,
    acts: (history) => {
      history.giveUp("B", runNamed(history, "r1"));
      history.resume("A", runNamed(history, "r2"));
    },
  },
  /**
   * A run is pending, and both resume it at the same time: one by its approval request, one by its run id.
   */
  "both resume a pending run": {
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
  /** B considers A dead while A is working, and resumes its run. */
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
