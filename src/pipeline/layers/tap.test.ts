import * as Effect from "effect/Effect";
import { expect, test } from "vitest";
import { createTestCall, notesOfCall } from "../../../test/contracts/test-call.ts";
import { testLayerLaws } from "../../../test/contracts/test-layer-laws.ts";
import { succeeded } from "../../types/outcome.ts";
import type { Handler } from "../../types/tool.ts";
import { tap } from "./tap.ts";

testLayerLaws("tap", () => tap({ before: () => {}, after: () => {} }));
testLayerLaws("tap whose watchers throw", () =>
  tap({
    before: () => {
      throw new Error("a");
    },
    after: () => {
      throw new Error("b");
    },
  }),
);

test("passes the call to before and the outcome to after", async () => {
  const seen: unknown[] = [];
  const call = createTestCall();
  const layer = tap({
    before: (each) => {
      seen.push("before", each === call);
    },
    after: (each, outcome) => seen.push("after", each === call, outcome),
  });
  const outcome = succeeded(1);
  const next: Handler = () =>
    Effect.sync(() => {
      seen.push("runs");
      return outcome;
    });
  await Effect.runPromise(layer(next)(call));
  expect(seen).toEqual(["before", true, "runs", "after", true, outcome]);
  expect(notesOfCall(call)).toEqual([]);
});

test("notes the error name of a watcher that throws, without its message", async () => {
  const call = createTestCall();
  const layer = tap({
    before: () => {
      throw new TypeError("secret");
    },
    after: async () => {
      throw new RangeError("secret");
    },
  });
  expect(await Effect.runPromise(layer(() => Effect.succeed(succeeded(1)))(call))).toEqual(succeeded(1));
  await Promise.resolve();
  expect(notesOfCall(call)).toEqual(["tap: before threw TypeError", "tap: after threw RangeError"]);
});
