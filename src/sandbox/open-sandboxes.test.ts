import { AsyncLocalStorage } from "node:async_hooks";
import * as Effect from "effect/Effect";
import { Haft, tool } from "haft";
import { worker } from "haft/sandbox";
import { expect, it } from "vitest";
import { openSandboxes } from "./open-sandboxes.ts";

const storage = new AsyncLocalStorage<number>();

it("runs each program in the async context of its caller", async () => {
  const seen = await Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const { run } = yield* openSandboxes;
        const program = (number: number): Promise<readonly unknown[]> => {
          const stores: unknown[] = [];
          const reported = {
            language: "javascript",
            source: "await tools.f(); return 1",
            functions: ["f"],
          } as const;
          const work = run({
            ...reported,
            answer: async () => {
              stores.push(storage.getStore());
              return { ok: true, value: "1" };
            },
            onIdle: () => stores.push(storage.getStore()),
          });
          const after = Effect.map(work, () => [...stores, storage.getStore()]);
          return storage.run(number, () => Effect.runPromise(after));
        };
        // More programs than workers, so that some have to wait.
        return yield* Effect.promise(() =>
          Promise.all(Array.from({ length: 20 }, (_, number) => program(number))),
        );
      }),
    ),
  );
  expect(seen).toEqual(Array.from({ length: 20 }, (_, number) => [number, number, number]));
});

it("reports progress in the async context of the call, also from a shared thread", async () => {
  const url = new URL("../../test/fixtures/worker-tools/tools.ts", import.meta.url);
  const input = { type: "object", properties: {} } as const;
  const shared = tool({
    name: "shared",
    description: "Shares",
    input,
    implementation: worker(url, { most: 1 }),
  });
  const haft = await Haft.open({ tools: [shared], principal: { agent: "tester", allow: ["*"] } });
  const seen: unknown[] = [];
  haft.on("tools.progress", () => seen.push(storage.getStore()));
  await Promise.all([1, 2, 3].map((number) => storage.run(number, () => haft.call("shared", {}))));
  await haft.close();
  expect(seen.sort()).toEqual([1, 2, 3]);
});
