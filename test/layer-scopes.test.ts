import * as Effect from "effect/Effect";
import * as Tracer from "effect/Tracer";
import { type AgentResponse, agent, Haft, type Tool, tool } from "haft";
import * as entry from "haft/layers";
import {
  agentContext,
  approval,
  approvalByEnv,
  asyncLayer,
  authorize,
  breaker,
  type ContextOptions,
  cache,
  final,
  inputSchema,
  limit,
  retry,
  runContext,
  type ToolLayer,
  tap,
  timeout,
  trace,
} from "haft/layers";
import { calls, says, scriptedModel } from "haft/testing";
import { describe, expect, it } from "vitest";

const principal = { agent: "tester", allow: ["*"] };
const many = 20;

type Code = (input: { readonly n: number }) => unknown;
type AnyTool = Tool<string, never, unknown>;

/** A read-only tool, so that every layer is active. */
const toolOf = (run: Code): AnyTool =>
  tool({
    name: "work",
    description: "Works",
    input: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
    annotations: { readOnly: true },
    run: run as never,
  }) as never;

/** Where a layer can be attached. At the last place the same value wraps the call three times. */
const places = {
  run: { run: true, agent: false, tool: false, times: 1 },
  agent: { run: false, agent: true, tool: false, times: 1 },
  tool: { run: false, agent: false, tool: true, times: 1 },
  "run, agent and tool at once": { run: true, agent: true, tool: true, times: 3 },
} as const;

interface Told {
  readonly response: AgentResponse;
  readonly times: number;
}

interface LayerPromise {
  /** A new layer, and the check of what it does for a turn of many parallel calls. */
  readonly make: () => {
    readonly layer: ToolLayer<never>;
    readonly run: Code;
    readonly check: (reported: Told) => void;
    readonly operator?: ToolLayer;
    readonly env?: unknown;
    /** The argument of each call. */
    readonly asked?: readonly number[];
  };
}

const ok = ({ toolsUsed }: AgentResponse): number => toolsUsed.filter((each) => each.ok).length;
const errors = ({ toolsUsed }: AgentResponse): string => toolsUsed.map(({ error }) => error ?? "").join("\n");

const counting = (seen: number[]): ContextOptions<number> => ({
  initial: () => 0,
  step: (count, _call, outcome) => {
    seen.push(count + 1);
    return [count + 1, outcome];
  },
});

/** Every update is present exactly once. */
const counted = (seen: readonly number[], times: number): void =>
  expect([...seen]).toEqual(Array.from({ length: many * times }, (_, index) => index + 1));

const layers: Readonly<Record<string, LayerPromise>> = {
  timeout: {
    make: () => ({
      layer: timeout(5),
      run: () => new Promise(() => {}),
      check: ({ response }) => {
        expect(ok(response)).toBe(0);
        for (const { error } of response.toolsUsed) expect(error).toContain("within 5ms");
      },
    }),
  },
  retry: {
    make: () => {
      const tried = new Set<number>();
      return {
        layer: retry({ attempts: 2, base: 0, budget: { capacity: 1_000 } }),
        run: ({ n }) => {
          if (tried.has(n)) return n;
          tried.add(n);
          throw Object.assign(new Error("once more"), { retryable: true });
        },
        check: ({ response }) => expect(ok(response)).toBe(many),
      };
    },
  },
  limit: {
    make: () => {
      let inside = 0;
      let most = 0;
      return {
        layer: limit({ concurrency: 2 }),
        run: async () => {
          most = Math.max(most, ++inside);
          await new Promise((done) => setImmediate(done));
          inside--;
        },
        check: ({ response }) => {
          expect(ok(response)).toBe(many);
          expect(most).toBe(2);
        },
      };
    },
  },
  cache: {
    make: () => {
      let runs = 0;
      return {
        layer: cache(),
        run: async () => ++runs,
        asked: Array.from({ length: many }, () => 7),
        check: ({ response }) => {
          expect(response.toolsUsed.map(({ result }) => result)).toEqual(Array(many).fill(1));
          expect(runs).toBe(1);
        },
      };
    },
  },
  breaker: {
    make: () => {
      let runs = 0;
      return {
        layer: breaker({ failures: 1 }),
        run: () => {
          runs++;
          throw new Error("broken");
        },
        check: ({ response }) => {
          expect(ok(response)).toBe(0);
          expect(runs).toBeLessThan(many);
          expect(errors(response)).toContain("its calls are rejected for now");
        },
      };
    },
  },
  approval: {
    make: () => ({
      layer: approval(),
      run: ({ n }) => n,
      check: ({ response }) => {
        expect(response.status).toBe("pending");
        expect(response.pending).toHaveLength(many);
      },
    }),
  },
  authorize: {
    make: () => ({
      layer: authorize(({ input }) => ({ kind: (input as { n: number }).n % 2 === 0 ? "allow" : "deny" })),
      run: ({ n }) => n,
      check: ({ response }) => expect(ok(response)).toBe(many / 2),
    }),
  },
  approvalByEnv: {
    make: () => ({
      layer: approvalByEnv(),
      run: ({ n }) => n,
      env: {
        approve: ({ input }: { readonly input: { readonly n: number } }) => ({
          kind: input.n % 2 === 0 ? "allow" : "deny",
        }),
      },
      check: ({ response }) => expect(ok(response)).toBe(many / 2),
    }),
  },
  inputSchema: {
    make: () => ({
      layer: inputSchema("lenient"),
      operator: (next) => (call) => next({ ...call, input: { n: "text" } }),
      run: ({ n }) => n,
      check: ({ response }) =>
        expect(response.toolsUsed.map(({ result }) => result)).toEqual(Array(many).fill("text")),
    }),
  },
  runContext: {
    make: () => {
      const seen: number[] = [];
      return {
        layer: runContext(counting(seen)),
        run: ({ n }) => n,
        check: ({ times }) => counted(seen, times),
      };
    },
  },
  agentContext: {
    make: () => {
      const seen: number[] = [];
      return {
        layer: agentContext(counting(seen)),
        run: ({ n }) => n,
        check: ({ times }) => counted(seen, times),
      };
    },
  },
  trace: {
    make: () => {
      const spans: Tracer.NativeSpan[] = [];
      const span = (options: ConstructorParameters<typeof Tracer.NativeSpan>[0]): Tracer.NativeSpan => {
        const made = new Tracer.NativeSpan(options);
        spans.push(made);
        return made;
      };
      const tracer = Tracer.make({ span });
      return {
        layer: trace(),
        operator: (next) => (call) => Effect.provideService(next(call), Tracer.Tracer, tracer),
        run: ({ n }) => n,
        check: ({ times }) => {
          const names = spans.filter(({ status }) => status._tag === "Ended").map(({ name }) => name);
          expect(names).toEqual(Array(many * times).fill("execute_tool work"));
        },
      };
    },
  },
  tap: {
    make: () => {
      const received: string[] = [];
      return {
        layer: tap({ before: () => received.push("before"), after: () => received.push("after") }),
        run: ({ n }) => n,
        check: ({ times }) => {
          expect(received.filter((each) => each === "before")).toHaveLength(many * times);
          expect(received.filter((each) => each === "after")).toHaveLength(many * times);
        },
      };
    },
  },
  asyncLayer: {
    make: () => ({
      layer: asyncLayer(async (call, next) => {
        const outcome = await next(call);
        return outcome._tag === "value" ? { ...outcome, value: `${outcome.value}!` } : outcome;
      }),
      run: () => "hey",
      check: ({ response, times }) =>
        expect(response.toolsUsed[many - 1]?.result).toBe(`hey${"!".repeat(times)}`),
    }),
  },
};

it("the table below has every layer that haft/layers exports", () => {
  const others = new Set(["failed", "final", "handoff", "isRetryable", "rewrite", "succeeded"]);
  const stock = Object.keys(entry).filter((name) => !others.has(name));
  expect(Object.keys(layers).sort()).toEqual(stock.sort());
});

describe.each(Object.entries(places))("at the scope of %s", (_, place) => {
  it.each(Object.entries(layers))("%s works with parallel calls", async (_name, { make }) => {
    const {
      layer,
      run,
      check,
      operator,
      env,
      asked = Array.from({ length: many }, (_each, n) => n),
    } = make();
    const value = layer as ToolLayer;
    const work = place.tool ? toolOf(run).layer(value) : toolOf(run);
    const model = scriptedModel([calls(...asked.map((n) => ["work", { n }] as const)), says("Done.")]);
    const plain = agent({ name: "helper", instructions: "Help.", model, tools: [work as never] });
    const helper = place.agent ? plain.layer(value) : plain;
    await using haft = await Haft.open({
      principal,
      approver: () => undefined,
      ...(operator === undefined ? {} : { layers: [operator] }),
    });
    const options = { ...(place.run ? { layers: [value] } : {}), ...(env === undefined ? {} : { env }) };
    check({ response: await haft.run(helper, "Go", options as never), times: place.times });
  });
});

describe("contexts of a run and of its agent", () => {
  const received: string[] = [];
  const naming = (name: string): ContextOptions<number> => ({
    initial: () => 0,
    step: (count, _call, outcome) => {
      received.push(name);
      return [count + 1, name === "run" && count === 1 ? final("enough") : outcome];
    },
  });

  it("run in this order, and a final outcome of the run's context stops the agent's and ends the run", async () => {
    received.length = 0;
    const once = calls(["work", { n: 1 }]);
    const model = scriptedModel([once, once, says("never")]);
    const helper = agent({
      name: "helper",
      instructions: "Help.",
      model,
      tools: [toolOf(({ n }) => n) as never],
    }).layer(agentContext(naming("agent")));
    await using haft = await Haft.open({ principal });
    const response = await haft.run(helper, "Go", { layers: [runContext(naming("run"))] });
    expect(received).toEqual(["run", "agent", "run"]);
    expect(response).toMatchObject({ status: "done", content: "enough", turns: 2 });
  });
});
