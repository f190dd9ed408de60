import { memoryStore } from "./memory-store.ts";
import type { Scenario } from "./scenario.ts";
import { Scheduler } from "./scheduler.ts";
import { Names, type StoreKind } from "./shared-store.ts";
import { openRuntime } from "./simulated-runtime.ts";
import { sqliteStore } from "./sqlite-store.ts";
import { Witness } from "./world.ts";

const warm = new Map<StoreKind, Promise<void>>();

/** Loads lazy modules here: reading files takes real time, and a history must not depend on it. */
export const warmUp = (store: StoreKind): Promise<void> => {
  const before = warm.get(store);
  if (before !== undefined) return before;
  const loading = useEverything(store);
  warm.set(store, loading);
  return loading;
};

const tools = ["charge", "look", "refund", "order", "cancel"] as const;

const scenario: Scenario = {
  actors: ["A", "B"],
  runs: ["r1", "r2"].map((name) => ({
    name,
    actor: "A",
    turns: [tools.map((tool) => ({ tool, mark: `${name}.${tool}`, fails: tool === "look" }))],
  })),
};

const useEverything = async (store: StoreKind): Promise<void> => {
  const scheduler = new Scheduler();
  scheduler.setFree();
  const options = { scheduler, names: new Names() };
  const shared = store === "memory" ? memoryStore(options) : sqliteStore(options);
  const world = { scenario, scheduler, witness: new Witness() };
  try {
    const first = await openRuntime("A", shared, world);
    const second = await openRuntime("B", shared, world);
    const one = await first.haft.run(first.agent, "r1");
    const other = await first.haft.run(first.agent, "r2");
    for (const [index, { id }] of (await first.haft.approvals()).entries()) {
      const { haft } = index % 2 === 0 ? first : second;
      await haft.resume(id, { kind: "allow" });
    }
    await second.haft.run(second.agent, undefined, { resume: one.runId });
    await second.haft.giveUp(other.runId);
    const session = second.haft.session({ id: "warm" });
    await session.turn([{ id: "1", tool: "look", input: { mark: "warm" } }]);
    await session.turn([{ id: "1", tool: "look", input: { mark: "warm" } }]);
    await session.asks({ id: "2", tool: "refund", input: { mark: "warm" } });
    await session.end();
    await second.haft.log();
    await second.haft.runs();
    await shared.verify();
  } finally {
    scheduler.dissolve();
    await shared.dissolve();
  }
};
