import { expect, it } from "vitest";
import { createMediaCache } from "./memory-row.ts";

const parts = (data: string) => [{ kind: "image", mediaType: "image/png", data } as const];

it("keeps the newest media that fit and evicts the oldest", () => {
  const kept = createMediaCache(10);
  kept.keep("a", parts("AAAA"));
  kept.keep("b", parts("BBBB"));
  expect([kept.of("a"), kept.of("b")]).toEqual([parts("AAAA"), parts("BBBB")]);
  kept.keep("c", parts("CCCC"));
  expect([kept.of("a"), kept.of("b"), kept.of("c")]).toEqual([undefined, parts("BBBB"), parts("CCCC")]);
});

it("reuses the space of dropped and replaced media, and stores none that exceed the limit", () => {
  const kept = createMediaCache(8);
  kept.keep("a", parts("AAAA"));
  kept.keep("a", parts("DDDD"));
  kept.keep("b", parts("BBBB"));
  expect(kept.of("a")).toEqual(parts("DDDD"));
  kept.drop("a");
  kept.drop("nobody");
  kept.keep("c", parts("CCCC"));
  expect([kept.of("a"), kept.of("b"), kept.of("c")]).toEqual([undefined, parts("BBBB"), parts("CCCC")]);
  kept.keep("d", parts("D".repeat(12)));
  expect(kept.of("d")).toBeUndefined();
});
