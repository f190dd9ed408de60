import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import { describe, expect, it } from "vitest";
import type { CallRequest, RunningCall } from "../types/call.ts";
import type { Failure } from "../types/failure.ts";
import type { Flow, Reply } from "../types/outcome.ts";
import type { PipelineCallOptions } from "./call-state.ts";
import type { ToolPipeline } from "./pipeline.ts";
import { type PipelineTurnOptions, runTurn } from "./turn.ts";

const next: Flow = { kind: "continue" };
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

interface Asked {
  readonly id: string;
  readonly options: PipelineCallOptions | undefined;
  readonly end: (more?: Partial<Reply>) => void;
}

/**
 * A pipeline whose calls end when the test ends them. With `leaves`, an interrupted call still delivers a
 * reply.
 */
const world = (onCall: (asked: Asked) => void = () => undefined, leaves = true) => {
  const called: Asked[] = [];
  const stopped: string[] = [];
  const declined: { readonly id: string; readonly failure: Failure; readonly options: unknown }[] = [];
  const toReply = ({ raw }: CallRequest, more: Partial<Reply>): Reply => ({
    id: raw.id,
    tool: raw.tool,
    ok: true,
    text: "",
    flow: next,
    ...more,
  });
  const pipeline = {
    call: (request: CallRequest, options?: PipelineCallOptions) =>
      Effect.callback<Reply>((resume) => {
        const { id } = request.raw;
        const end = (more: Partial<Reply> = {}) => resume(Effect.succeed(toReply(request, more)));
        const asked = { id, options, end };
        called.push(asked);
        onCall(asked);
        return Effect.sync(() => {
          stopped.push(id);
          if (leaves) options?.onReply?.(toReply(request, { ok: false, text: "left behind" }));
        });
      }),
    decline: (request: CallRequest, failure: Failure, options?: PipelineCallOptions) =>
      Effect.sync(() => {
        declined.push({ id: request.raw.id, failure, options });
        return toReply(request, { ok: false, failure });
      }),
  } as unknown as ToolPipeline;
  const start = (ids: readonly string[], options: PipelineTurnOptions = {}) => {
    const requests = ids.map((id) => ({ raw: { id, tool: "work", input: "{}" } }) as CallRequest);
    const fiber = Effect.runFork(runTurn(pipeline, requests, options));
    return { fiber, replies: Effect.runPromise(Fiber.join(fiber)) };
  };
  const end = (id: string, more?: Partial<Reply>) => called.find((each) => each.id === id)?.end(more);
  const ids = () => called.map(({ id }) => id);
  return { start, end, ids, called, stopped, declined };
};

const failure: Failure = { code: "failed", message: "no" };
const parent = { runtime: {} } as RunningCall;

describe("maxConcurrency", () => {
  it.each([
    [0, 1],
    [-5, 1],
    [Number.NaN, 1],
    [2, 2],
    [undefined, 3],
  ])("is at least one and unlimited by default: %s", async (maxConcurrency, most) => {
    const { start, end, ids } = world();
    const { replies } = start(["a", "b", "c"], { maxConcurrency });
    await settled();
    expect(ids()).toEqual(["a", "b", "c"].slice(0, most));
    for (const id of ["a", "b", "c"]) {
      end(id);
      await settled();
    }
    expect((await replies).map(({ id }) => id)).toEqual(["a", "b", "c"]);
  });
});

describe("turn of 10,000 calls that answer at once", () => {
  it("answers all of them in order without recursion", async () => {
    const { start } = world(({ end }) => end());
    const ids = Array.from({ length: 10_000 }, (_, at) => String(at));
    const replies = await start(ids).replies;
    expect(replies.map(({ id }) => id)).toEqual(ids);
  });
});

describe("parent call of a turn", () => {
  it("is passed to every call, including a single and a declined one", async () => {
    for (const ids of [["a"], ["a", "b", "a"]]) {
      const { start, called, declined } = world(({ end }) => end());
      expect(await start(ids, { parent }).replies).toHaveLength(new Set(ids).size);
      for (const { options } of called) expect(options?.parent).toBe(parent);
      expect(declined.map(({ options }) => options)).toEqual(ids.length === 1 ? [] : [{ parent }]);
    }
  });
});

describe("call ids of a turn", () => {
  it("are not duplicates when they are empty", async () => {
    const { start, ids } = world(({ end }) => end());
    expect(await start(["", "", "a"]).replies).toHaveLength(3);
    expect(ids()).toEqual(["", "", "a"]);
  });

  it("produce one call and one reply when they are equal", async () => {
    const { start, ids } = world(({ end }) => end());
    expect((await start(["a", "a"]).replies).map(({ id }) => id)).toEqual(["a"]);
    expect(ids()).toEqual(["a"]);
  });

  it("are declined for each further duplicate and answered once", async () => {
    const { start, ids, declined } = world(({ end }) => end());
    const replies = await start(["a", "a", "b", "a", "b"]).replies;
    expect(replies.map(({ id }) => id)).toEqual(["a", "b"]);
    expect(ids()).toEqual(["a", "b"]);
    expect(declined.map(({ id, failure: { code, tool } }) => [id, code, tool])).toEqual([
      ["a", "unreadable_call", "work"],
      ["a", "unreadable_call", "work"],
      ["b", "unreadable_call", "work"],
    ]);
  });
});

describe("cancelled turn", () => {
  it("stops its only call and returns the reply that the call left", async () => {
    const { start, stopped } = world();
    const abort = new AbortController();
    const { replies } = start(["a"], { signal: abort.signal });
    await settled();
    abort.abort();
    expect(await replies).toMatchObject([{ id: "a", text: "left behind" }]);
    expect(stopped).toEqual(["a"]);
  });

  it("reports cancelled for a call that left no reply", async () => {
    const { start } = world(undefined, false);
    const abort = new AbortController();
    const { replies } = start(["a", "b"], { signal: abort.signal });
    await settled();
    abort.abort();
    expect(await replies).toMatchObject([
      {
        id: "a",
        ok: false,
        text: 'Error: The call of "work" was cancelled.',
        failure: { code: "cancelled", tool: "work" },
      },
      { id: "b", ok: false, failure: { code: "cancelled", tool: "work" } },
    ]);
  });

  it("stops the call that cancelled it", async () => {
    const abort = new AbortController();
    const { start, stopped, declined } = world(() => abort.abort());
    const replies = await start(["a", "b"], { signal: abort.signal, maxConcurrency: 1 }).replies;
    expect(replies).toMatchObject([{ text: "left behind" }, { failure: { code: "cancelled" } }]);
    expect([stopped, declined.map(({ id }) => id)]).toEqual([["a"], ["b"]]);
  });

  it("reports not_answered for calls that were not started when a final answer exists", async () => {
    const { start, end, ids, declined } = world();
    const abort = new AbortController();
    const { replies } = start(["a", "b", "c"], { signal: abort.signal, maxConcurrency: 2 });
    await settled();
    abort.signal.addEventListener("abort", () => end("b"));
    end("a", { flow: { kind: "final" } });
    await settled();
    abort.abort();
    await replies;
    expect(ids()).toEqual(["a", "b"]);
    expect(declined.map(({ failure: { code } }) => code)).toEqual(["not_answered"]);
  });

  it("stops or declines every call before the interruption completes", async () => {
    const { start, stopped, declined } = world();
    const { fiber, replies } = start(["a", "b", "c"], { maxConcurrency: 2 });
    replies.catch(() => undefined);
    await settled();
    await Effect.runPromise(Fiber.interrupt(fiber));
    expect(stopped).toEqual(["a", "b"]);
    expect(declined.map(({ id, failure: { code } }) => [id, code])).toEqual([["c", "cancelled"]]);
  });
});

describe("signal of a turn", () => {
  it("has one listener, which is removed when the turn ends", async () => {
    const { signal } = new AbortController();
    const listeners: unknown[] = [];
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    Object.assign(signal, {
      addEventListener: (...given: Parameters<typeof add>) => {
        listeners.push(given[1]);
        add(...given);
      },
      removeEventListener: (...given: Parameters<typeof remove>) => {
        listeners.splice(listeners.indexOf(given[1]), 1);
        remove(...given);
      },
    });
    const { start, end } = world();
    const { replies } = start(["a", "b"], { signal });
    await settled();
    expect(listeners).toHaveLength(1);
    end("a");
    await settled();
    expect(listeners).toHaveLength(1);
    end("b");
    await replies;
    expect(listeners).toEqual([]);
  });
});

describe("failure in a turn", () => {
  it("stops other calls only with fail-fast", async () => {
    for (const [join, more, code] of [
      ["fail-fast", { ok: false, failure }, "not_answered"],
      ["fail-fast", {}, undefined],
      ["all", { ok: false, failure }, undefined],
    ] as const) {
      const { start, end, ids, stopped, declined } = world();
      const { replies } = start(["a", "b", "c"], { join, maxConcurrency: 2 });
      await settled();
      end("a", more);
      await settled();
      expect(stopped).toEqual(code === undefined ? [] : ["b"]);
      expect(ids()).toEqual(code === undefined ? ["a", "b", "c"] : ["a", "b"]);
      end("b");
      end("c");
      await replies;
      expect(declined.map(({ failure: { code } }) => code)).toEqual(code === undefined ? [] : [code]);
    }
  });

  it("stops no call after a final answer", async () => {
    const { start, end, stopped } = world();
    const { replies } = start(["a", "b", "c"], { join: "fail-fast" });
    await settled();
    end("a", { flow: { kind: "handoff", agent: "other" } });
    end("b", { ok: false, failure });
    await settled();
    expect(stopped).toEqual([]);
    end("c");
    expect(await replies).toHaveLength(3);
  });
});
