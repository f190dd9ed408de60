import { type RandomSource, randomStream } from "../../../src/agent/experiments/statistics/random-stream.ts";
import type { History } from "./history.ts";

/** A fault or an action between two steps. */
export interface Disturbance {
  readonly text: string;
  readonly apply: (history: History) => void;
}

/** Called before each step. */
export type Disturber = (history: History) => Disturbance | undefined;

interface Option {
  readonly weight: number;
  readonly draw: (random: RandomSource) => Disturbance;
}

const jumps = [-7_200_000, -60_000, 500, 45_000, 7_200_000, 2_000_000_000];

/** More would only lengthen a history. */
const most = 16;
const chance = 0.12;

/** Random faults and actions by seed. `without` leaves out some by number, to find the relevant ones. */
export const randomDisturber = (seed: number, without: ReadonlySet<number> = new Set()): Disturber => {
  const when = randomStream(seed, "when");
  let count = 0;
  return (history) => {
    if (count >= most || when() >= chance) return undefined;
    count += 1;
    // Each has its own random stream, so that leaving one out does not change the others.
    const random = randomStream(seed, `disturbance ${count}`);
    const options = possible(history);
    let left = random() * options.reduce((sum, { weight }) => sum + weight, 0);
    const option = options.find(({ weight }) => {
      left -= weight;
      return left < 0;
    });
    if (option === undefined || without.has(count)) return undefined;
    const { text, apply } = option.draw(random);
    return { text: `#${count} ${text}`, apply };
  };
};

const possible = (history: History): readonly Option[] => {
  const { scheduler, names, store } = history;
  const living = history.living();
  const dead = [...history.runtimes.keys()].filter((actor) => scheduler.isDead(actor));
  const runs = [...names.runs.keys()];
  const some = <Item>(items: readonly Item[], random: RandomSource): Item =>
    items[Math.floor(random() * items.length)]!;
  const one = (weight: number, draw: Option["draw"], isPossible = true): readonly Option[] =>
    isPossible && living.length > 0 ? [{ weight, draw }] : [];
  const isSqlite = store === "sqlite";
  // Includes runtimes that are still opening.
  const joins = history.tasks.filter(({ what }) => what === "join").length;
  return [
    ...one(3, (random) => stopped(some(living, random), 5 + Math.floor(random() * 60))),
    ...one(2, (random) => jumped(some(living, random), some(jumps, random))),
    ...one(1.2, (random) => killed(some(living, random)), living.length > 1),
    ...one(
      3,
      (random) => pretended(some(living, random), false, 3 + Math.floor(random() * 40)),
      isSqlite && living.length > 1,
    ),
    ...one(
      1,
      (random) => pretended(some(dead, random), true, 10 + Math.floor(random() * 60)),
      isSqlite && dead.length > 0,
    ),
    ...one(1, () => joined(`N${joins}`), joins < 4),
    ...one(6, (random) => resumed(some(living, random), some(runs, random)), runs.length > 0),
    ...one(0.6, (random) => givenUp(some(living, random), some(runs, random)), runs.length > 0),
    ...one(
      4,
      (random) => answered(some(living, random), some(history.questions, random), random() < 0.8),
      history.questions.length > 0,
    ),
  ];
};

const stopped = (actor: string, steps: number): Disturbance => ({
  text: `${actor} is stopped for ${steps} steps`,
  apply: ({ scheduler }) => scheduler.stop(actor, steps),
});

const jumped = (actor: string, ms: number): Disturbance => ({
  text: `the clock of ${actor} jumps by ${ms} ms`,
  apply: ({ runtimes }) => runtimes.get(actor)?.clock.jump(ms),
});

const killed = (actor: string): Disturbance => ({
  text: `${actor} is killed`,
  apply: ({ scheduler, shared }) => {
    scheduler.kill(actor);
    shared.pretend(actor, false);
  },
});

const pretended = (actor: string, isAlive: boolean, steps: number): Disturbance => ({
  text: `${actor} seems ${isAlive ? "alive" : "dead"} for ${steps} steps`,
  apply: (history) => {
    history.shared.pretend(actor, isAlive);
    history.later(steps, () => history.shared.pretend(actor, !history.scheduler.isDead(actor)));
  },
});

const joined = (actor: string): Disturbance => ({
  text: `${actor} joins`,
  apply: (history) => history.join(actor),
});

const resumed = (actor: string, runId: string): Disturbance => ({
  text: `${actor} resumes a run`,
  apply: (history) => history.resume(actor, runId),
});

const givenUp = (actor: string, runId: string): Disturbance => ({
  text: `${actor} gives a run up`,
  apply: (history) => history.giveUp(actor, runId),
});

const answered = (actor: string, question: string, isYes: boolean): Disturbance => ({
  text: `${actor} answers a question with ${isYes ? "yes" : "no"}`,
  apply: (history) => history.answer(actor, question, isYes),
});
