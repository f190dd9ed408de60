import { expect, it } from "vitest";
import { createMediaCache } from "./media-cache.ts";

const parts = (data: string) => [{ kind: "image", mediaType: "image/png", data } as const];

it("the newest media are kept as far as there is room, and the oldest go first", () => {
  const kept = createMediaCache(10);
  kept.keep("a", parts("AAAA"));
  kept.keep("b", parts("BBBB"));
  expect([kept.of("a"), kept.of("b")]).toEqual([parts("AAAA"), parts("BBBB")]);
  kept.keep("c", parts("CCCC"));
  expect([kept.of("a"), kept.of("b"), kept.of("c")]).toEqual([undefined, parts("BBBB"), parts("CCCC")]);
});

it("what is dropped or replaced makes room, and what is larger than all the room is not kept", () => {
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
