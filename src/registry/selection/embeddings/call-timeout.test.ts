import { it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import * as TestClock from "effect/testing/TestClock";
import { describe, expect } from "vitest";
import {
  bakeBread,
  rankedNames,
  rankedTool,
  recordingEmbedder,
  specs,
  vectorOf,
} from "../../../../test/kit/fake-embedder.ts";
import { embeddingRanker } from "./embedding-scorer.ts";
import type { VectorStore } from "./tool-vectors.ts";

const never = new Promise<never>(() => undefined);
const request = { query: "bread", specs, lexical: [rankedTool(bakeBread, 0.5)], limit: 3 };

/** Records the signal of each call and resolves `begun` when the first one starts. */
const calls = () => {
  const signals: (AbortSignal | undefined)[] = [];
  let begin = (): void => undefined;
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const hang = (signal: AbortSignal | undefined): Promise<never> => {
    signals.push(signal);
    begin();
    return never;
  };
  return { signals, begun: Effect.promise(() => begun), hang };
};

const outcome = <A, E extends { readonly message: string }>(work: Effect.Effect<A, E>) =>
  Effect.forkChild(Effect.match(work, { onFailure: ({ message }) => message, onSuccess: () => "done" }));

describe("embedder that does not answer", () => {
  it.effect("makes prepare reject after thirty seconds and aborts its signal", () =>
    Effect.gen(function* () {
      const { signals, begun, hang } = calls();
      const { prepare } = embeddingRanker({ name: "fake", embed: (_, signal) => hang(signal) });
      const preparing = yield* outcome(prepare(specs));
      yield* begun;
      yield* TestClock.adjust(29_999);
      expect(signals[0]!.aborted).toBe(false);
      yield* TestClock.adjust(1);
      expect(yield* Fiber.join(preparing)).toBe("the embedder fake did not answer within 30000 ms");
      expect(signals.map((signal) => signal!.aborted)).toEqual([true]);
    }),
  );

  it.effect("is called again after the call timeout, while each query waits only its own timeout", () =>
    Effect.gen(function* () {
      const { begun, hang } = calls();
      let hangs = true;
      const fake = recordingEmbedder((texts, signal) =>
        hangs && texts.length > 1 ? hang(signal) : Promise.resolve(texts.map(vectorOf)),
      );
      const { rank } = embeddingRanker({
        embed: fake.embed,
        name: fake.name,
        timeoutMs: 100,
        callTimeoutMs: 300,
      });
      const asking = yield* Effect.forkChild(rank(request));
      yield* begun;
      yield* TestClock.adjust(100);
      expect((yield* Fiber.join(asking)).fallback).toBe("the embedder fake took longer than 100 ms");
      hangs = false;
      yield* TestClock.adjust(200);
      const ranking = yield* rank(request);
      expect(ranking.fallback).toBeUndefined();
      expect(rankedNames(ranking)[0]).toBe("bake_bread");
      expect(fake.calls.map((texts) => texts.length)).toEqual([1, 3, 3]);
    }),
  );
});

describe("vector store that does not answer", () => {
  it.effect("counts as empty after the call timeout of a read and is not written", () =>
    Effect.gen(function* () {
      const { signals, begun, hang } = calls();
      const writes: unknown[] = [];
      const cache: VectorStore = {
        get: (_, signal) => hang(signal),
        set: async (entries) => {
          writes.push(entries);
        },
      };
      const fake = recordingEmbedder();
      const { prepare } = embeddingRanker({ embed: fake.embed, name: "fake", cache, callTimeoutMs: 300 });
      const preparing = yield* outcome(prepare(specs));
      yield* begun;
      yield* TestClock.adjust(300);
      expect(yield* Fiber.join(preparing)).toBe("done");
      expect(signals.map((signal) => signal!.aborted)).toEqual([true]);
      expect(fake.calls).toHaveLength(1);
      expect(writes).toEqual([]);
    }),
  );

  it.effect("delays one batch by the call timeout of a write and no later batch", () =>
    Effect.gen(function* () {
      const { signals, begun, hang } = calls();
      const cache: VectorStore = { get: async () => new Map(), set: (_, signal) => hang(signal) };
      const fake = recordingEmbedder();
      const { prepare } = embeddingRanker({
        embed: fake.embed,
        name: "fake",
        cache,
        batchSize: 1,
        callTimeoutMs: 300,
      });
      const preparing = yield* outcome(prepare(specs));
      yield* begun;
      yield* TestClock.adjust(300);
      expect(yield* Fiber.join(preparing)).toBe("done");
      expect(signals.map((signal) => signal!.aborted)).toEqual([true]);
      expect(fake.calls).toHaveLength(3);
    }),
  );
});
