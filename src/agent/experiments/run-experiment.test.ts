import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import { afterEach, describe, expect, it } from "vitest";
import {
  answeringAgent,
  sampleQuestions,
  simulateExperiment,
} from "../../../test/kit/simulated-experiment.ts";
import { ModelError, ToolCancelledError } from "../../types/errors.ts";
import type { ExperimentOptions, ExperimentProgress } from "./options.ts";
import { experiment, runExperiment } from "./run-experiment.ts";

const folders: string[] = [];
const newPath = (): string => {
  folders.push(mkdtempSync(join(tmpdir(), "haft-experiment-")));
  return join(folders.at(-1)!, "journal.jsonl");
};
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

const twoArms = (seed = 1) => simulateExperiment(seed, { a: {}, b: {} });
const asked = (
  made: ReturnType<typeof simulateExperiment>,
  more: Partial<ExperimentOptions> = {},
): ExperimentOptions => ({
  agent: answeringAgent,
  arms: made.arms,
  inputs: sampleQuestions(8),
  runs: 2,
  run: made.run,
  ...more,
});
const conduct = (made: ReturnType<typeof simulateExperiment>, more: Partial<ExperimentOptions> = {}) =>
  Effect.runPromise(Effect.provideService(runExperiment(asked(made, more)), Clock.Clock, made.clock));

describe("experiment", () => {
  it("measures every run, with a frozen and reproducible JSON result", async () => {
    const result = await conduct(twoArms());
    expect(result.runs).toHaveLength(32);
    expect(result.arms.map(({ arm, runs }) => [arm, runs])).toEqual([
      ["a", 16],
      ["b", 16],
    ]);
    expect(JSON.parse(JSON.stringify(result))).toEqual(result);
    expect(Object.isFrozen(result.comparisons[0]!.differences[0]!.pairs)).toBe(true);
    expect(await conduct(twoArms())).toEqual(result);
    const [run] = result.runs;
    expect(run!.latencyMs).toBeGreaterThan(0);
    expect(run!.tools[0]).toMatchObject({ name: "search", calls: 1 });
  });

  it("counts a run that throws as a failure with its reason, and continues", async () => {
    const made = twoArms();
    const run: ExperimentOptions["run"] = async (agent, input, options) => {
      if (input.endsWith(" 3")) throw new Error("the provider is down, token=abc123def456");
      if (input.endsWith(" 4")) return undefined as never;
      if (input.endsWith(" 5")) {
        const error = new ModelError("model_unauthorized", "no key");
        throw Object.assign(error, { response: await made.run(agent, input, options) });
      }
      return made.run(agent, input, options);
    };
    const { runs, arms } = await conduct(made, { run });
    const third = runs.find(({ input }) => input === "3")!;
    expect(third).toMatchObject({
      success: false,
      status: "threw",
      latencyMs: null,
      usage: null,
      turns: null,
    });
    expect(third.reason).toContain("the provider is down");
    expect(third.reason).not.toContain("abc123def456");
    expect(runs.find(({ input }) => input === "4")!.reason).toContain("did not return");
    expect(runs.find(({ input }) => input === "5")).toMatchObject({
      latencyMs: null,
      turns: expect.any(Number),
    });
    expect(arms[0]!.reasons.map(({ reason }) => reason)).toContain("no key");
  });

  it("uses the given measure, and fails runs for which it throws", async () => {
    const { runs, comparisons } = await conduct(twoArms(), {
      inputs: sampleQuestions(8).map((input, index) => ({ id: `q${index}`, input, expect: index })),
      measure: async (_, { expect: index }) => {
        if (index === 0) throw new Error("cannot read the answer");
        if (index === 1) return { scores: { quality: Number.NaN } };
        return index === 2 ? undefined : { success: index !== 3, scores: { quality: 0.5 } };
      },
    });
    const of = (id: string) => runs.find(({ input }) => input === id)!;
    expect(of("q0")).toMatchObject({
      success: false,
      reason: "The measure function failed: cannot read the answer",
    });
    expect(of("q1").reason).toContain('The score "quality" is not a number');
    expect(of("q2").success).toBe(of("q2").status === "done");
    expect(of("q3")).toMatchObject({ success: false, scores: { quality: 0.5 } });
    expect(of("q4").success).toBe(true);
    expect(comparisons[0]!.differences.map(({ metric }) => metric)).toContain("quality");
  });

  it("reports its progress and ignores errors of the callback", async () => {
    const seen: ExperimentProgress[] = [];
    await conduct(twoArms(), {
      onProgress: (progress) => {
        seen.push(progress);
        throw new Error("broken bar");
      },
    });
    expect(seen.map(({ done }) => done)).toEqual(Array.from({ length: 33 }, (_, index) => index));
    expect(seen[0]).toEqual({ done: 0, total: 32, etaMs: undefined });
    expect(seen[16]!.etaMs).toBeGreaterThan(0);
    expect(seen.at(-1)).toMatchObject({ etaMs: 0, arm: expect.any(String) });
  });

  it("resumes from its journal with the same result", async () => {
    const whole = await conduct(twoArms(), { journal: newPath() });
    for (const stopAfter of [0, 1, 13, 31, 32]) {
      const journal = newPath();
      const made = twoArms();
      const stop = new AbortController();
      let started = 0;
      const run: ExperimentOptions["run"] = (agent, input, options) => {
        if (started++ < stopAfter) return made.run(agent, input, options);
        stop.abort();
        return Promise.reject(new Error("cancelled"));
      };
      const first = Effect.provideService(
        runExperiment(asked(made, { run, journal })),
        Clock.Clock,
        made.clock,
      );
      await Effect.runPromiseExit(first, { signal: stop.signal });
      const lines = readFileSync(journal, "utf8").trim().split("\n").length - 1;
      expect(lines).toBe(stopAfter);
      let more = 0;
      // The clock has moved on. A run measures only its own time.
      const again = await conduct(made, {
        journal,
        run: (agent, input, options) => {
          more += 1;
          return made.run(agent, input, options);
        },
      });
      expect(again).toEqual(whole);
      expect(more).toBe(32 - stopAfter);
    }
  });

  it("runs several inputs at once only with concurrency", async () => {
    const most = async (concurrency: number | undefined) => {
      const made = twoArms();
      let [now, peak] = [0, 0];
      await conduct(made, {
        ...(concurrency === undefined ? {} : { concurrency }),
        run: async (agent, input, options) => {
          peak = Math.max(peak, ++now);
          await new Promise((resolve) => setImmediate(resolve));
          now -= 1;
          return made.run(agent, input, options);
        },
      });
      return peak;
    };
    expect(await most(undefined)).toBe(1);
    expect(await most(4)).toBe(4);
  });
});

describe("cancelled experiment", () => {
  it("cancels its current runs, waits for them and says how to resume", async () => {
    const journal = newPath();
    const made = twoArms();
    const stop = new AbortController();
    const ends: string[] = [];
    let started = 0;
    const run: ExperimentOptions["run"] = (agent, input, options) => {
      if (++started <= 3) return made.run(agent, input, options);
      queueMicrotask(() => stop.abort());
      return new Promise((_, reject) => {
        options.signal!.addEventListener("abort", () => {
          setImmediate(() => {
            ends.push(input);
            reject(new Error("aborted"));
          });
        });
      });
    };
    const running = experiment(asked(made, { run, journal, signal: stop.signal }));
    await expect(running).rejects.toBeInstanceOf(ToolCancelledError);
    await expect(running).rejects.toThrow("cancelled after 3 runs. Start it again with the same journal");
    expect(ends).toHaveLength(1);
    expect(readFileSync(journal, "utf8").trim().split("\n")).toHaveLength(4);
  });

  it("runs nothing when it was cancelled before its start", async () => {
    let started = 0;
    const run = () => {
      started += 1;
      return Promise.reject(new Error("never"));
    };
    const running = experiment(asked(twoArms(), { run, signal: AbortSignal.abort() }));
    await expect(running).rejects.toThrow("It has no journal, so its runs are lost");
    expect(started).toBe(0);
  });
});

describe("invalid options", () => {
  it.each([
    ["agent({ … })", { agent: {} }],
    ["agent({ … })", { agent: undefined }],
    ["at least two `arms`", { arms: { a: {} } }],
    ["An arm needs a name", { arms: { a: {}, " ": {} } }],
    ['"x" is neither', { arms: { a: {}, b: { x: 1 } } }],
    ["needs `inputs`", { inputs: [] }],
    ["/inputs/1", { inputs: ["a", { input: "b" }] }],
    ['Two inputs have the id "1"', { inputs: ["a", { id: "1", input: "b" }] }],
    ["must be JSON", { inputs: [{ id: "1", input: "b", expect: () => 1 }] }],
    ["runs is 0", { runs: 0 }],
    ["`seed`", { seed: 0.5 }],
    ["concurrency", { concurrency: 0 }],
    ["`price`", { price: { inputPerMillion: -1, outputPerMillion: 1 } }],
    ["`journal` must be the path of a file", { journal: "" }],
    ["`journal` must be the path of a file", { journal: true }],
    ["haft.run(agent, input, options)", { run: undefined }],
    ["`measure`", { measure: 1 }],
    ["`onProgress`", { onProgress: 1 }],
    ["`run_count`", { run_count: 1 }],
  ])("are refused with a remedy: %s", async (words, more) => {
    const running = experiment({ ...asked(twoArms()), ...more } as never);
    await expect(running).rejects.toThrow(words);
    await expect(running).rejects.toMatchObject({ code: "invalid_config" });
  });
});
