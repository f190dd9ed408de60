import * as Clock from "effect/Clock";
import * as Layer from "effect/Layer";
import * as Random from "effect/Random";
import { randomStream } from "../../../src/agent/experiments/statistics/random-stream.ts";
import { Haft } from "../../../src/exports/index.ts";
import type { Agent, AgentResponse } from "../../../src/types/agent.ts";
import type { LedgerStore } from "../../../src/types/ledger.ts";
import type { Model } from "../../../src/types/model.ts";
import type { SharedStore } from "./shared-store.ts";
import { VirtualClock } from "./virtual-clock.ts";
import { runtimeWorld, type WorldOptions } from "./world.ts";

/** One runtime of a history: the promise API over its own connection to the store. */
export interface SimulatedRuntime {
  readonly actor: string;
  readonly clock: VirtualClock;
  readonly haft: Haft;
  readonly agent: Agent;
  readonly model: Model;
  readonly store: LedgerStore;
}

export const openRuntime = async (
  actor: string,
  shared: SharedStore,
  world: WorldOptions,
  clock = new VirtualClock(actor, world.scheduler),
): Promise<SimulatedRuntime> => {
  const store = await shared.connect(actor, clock);
  const { tools, agent, model } = runtimeWorld(actor, world, () => haft);
  const haft: Haft = await Haft.open({
    tools,
    ledger: store,
    services: Layer.mergeAll(
      Layer.succeed(Clock.Clock, clock),
      Layer.succeed(Random.Random, seededRandom(actor)),
    ),
    principal: { agent: "clerk", allow: ["*"] },
    approver: () => undefined,
  });
  return { actor, clock, haft, agent, model, store };
};

/** A task of a runtime and its result. */
export interface Task {
  readonly actor: string;
  readonly what: string;
  /** Name of the run of this task. */
  readonly run: string;
  state: "under way" | "answered" | "refused";
  /** The response of a started or resumed run. */
  response?: AgentResponse | undefined;
  answer?: unknown;
  error?: { readonly code?: string; readonly message: string; readonly response?: AgentResponse } | undefined;
}

/** Seeded random numbers for retry pauses. */
const seededRandom = (actor: string): Random.Random => {
  const nextDoubleUnsafe = randomStream(1, actor);
  return { nextDoubleUnsafe, nextIntUnsafe: () => Math.floor(nextDoubleUnsafe() * 2 ** 32) };
};
