import type * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import { agent } from "../../src/agent/agent.ts";
import type { RunOnce } from "../../src/agent/experiments/options.ts";
import { type RandomSource, randomStream } from "../../src/agent/experiments/statistics/random-stream.ts";
import type { LibrarySource } from "../../src/agent/to-library.ts";
import type { AgentResponse, ToolInvocation } from "../../src/types/agent.ts";

/** A clock that only the test advances. */
export interface ManualClock extends Clock.Clock {
  readonly advance: (millis: number) => void;
}

export const manualClock = (startsAt = 1_750_000_000_000): ManualClock => {
  let passed = BigInt(startsAt) * 1_000_000n;
  const nanos = (): bigint => passed;
  const millis = (): number => Number(passed / 1_000_000n);
  return {
    advance: (more) => {
      passed += BigInt(Math.round(more * 1_000_000));
    },
    currentTimeMillisUnsafe: millis,
    currentTimeMillis: Effect.sync(millis),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: nanos,
    monotonicTimeNanos: Effect.sync(nanos),
    sleep: () => Effect.void,
  } as ManualClock;
};

/** How one arm differs from the others. */
export interface ArmBehavior {
  /** A factor for every latency. */
  readonly pace?: number;
  /** The probability that a run is right for an input of medium difficulty. */
  readonly rightness?: number;
  readonly tokens?: number;
}

export interface SimulatedExperiment {
  readonly clock: ManualClock;
  readonly arms: Readonly<Record<string, LibrarySource>>;
  readonly run: RunOnce;
}

export const sampleQuestions = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `Question number ${index + 1}`);

export const answeringAgent = agent({
  name: "answerer",
  instructions: "Answer.",
  model: "scripted/model",
  tools: ["search", "read_page"],
});

/**
 * Realistic simulated runs: inputs differ in size and difficulty; latencies are skewed, and some requests
 * stall; turns, tokens and tool calls are correlated. The nth run of an arm's input is always the same.
 */
export const simulateExperiment = (
  seed: number,
  natures: Readonly<Record<string, ArmBehavior>>,
): SimulatedExperiment => {
  const clock = manualClock();
  const libraries = Object.entries(natures).map(([name, nature]) => ({ name, nature, library: libraryOf() }));
  const counts = new Map<string, number>();
  const run: RunOnce = async (_, input, { library, signal }) => {
    signal?.throwIfAborted();
    const { name, nature } = libraries.find((each) => each.library === library)!;
    const key = `${name}/${input}`;
    const count = counts.get(key) ?? 0;
    const [trait, luck] = [randomStream(seed, `input/${input}`), randomStream(seed, `run/${key}/${count}`)];
    const difficulty = normal(trait);
    const size = Math.exp(0.5 * normal(trait));
    const response = respond(nature, difficulty, size, luck);
    clock.advance(latency(nature, size * response.turns, luck));
    counts.set(key, count + 1);
    return response;
  };
  return {
    clock,
    run,
    arms: Object.fromEntries(libraries.map(({ name, library }) => [name, library])),
  };
};

const libraryOf = (): LibrarySource => ({ search: () => "found", read_page: () => "read" });

const normal = (random: RandomSource): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

const latency = ({ pace = 1 }: ArmBehavior, work: number, random: RandomSource): number => {
  const usual = 600 * work * pace * Math.exp(0.35 * normal(random));
  return random() < 0.04 ? usual * 4 * (1 - random()) ** (-1 / 1.5) : usual;
};

const respond = (
  { rightness = 0.85, tokens = 1 }: ArmBehavior,
  difficulty: number,
  size: number,
  random: RandomSource,
): AgentResponse => {
  const isRight = random() < Math.min(1, Math.max(0, rightness - 0.08 * difficulty));
  const turns = 2 + (random() < 0.25 ? 1 : 0);
  const toolsUsed = Array.from({ length: turns - 1 }, (_, index): ToolInvocation => {
    const ok = random() > 0.07;
    const name = index === 0 ? "search" : "read_page";
    return { name, callId: `${index}`, agent: "answerer", arguments: {}, ok, ...(ok ? {} : { error: "no" }) };
  });
  return {
    content: isRight ? "Forty-two." : "I cannot tell.",
    toolsUsed,
    status: isRight ? "done" : "stopped",
    ...(isRight ? {} : { reason: "The model said nothing of use." }),
    agent: "answerer",
    context: [],
    pending: [],
    usage: {
      inputTokens: Math.round(tokens * size * turns * 450 * Math.exp(0.08 * normal(random))),
      outputTokens: Math.round(tokens * turns * 70 * Math.exp(0.3 * normal(random))),
    },
    turns,
    runId: "run",
  };
};
