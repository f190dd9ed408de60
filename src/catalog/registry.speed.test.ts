import { describe, expect, it } from "vitest";
import { tool } from "../define/tool.ts";
import type { AnyTool } from "../words/tool.ts";
import { registry } from "./registry.ts";

const plain = tool({
  name: "plain",
  description: "Does what its name says",
  input: { type: "object" },
  run: () => 1,
});
const named = (name: string): AnyTool => ({ ...plain, spec: { ...plain.spec, name } });

const elapsed = (work: () => void): number => {
  const started = performance.now();
  work();
  return performance.now() - started;
};

describe("a large registry", () => {
  it("ten thousand tools are registered within a second, also one by one and under one short name", () => {
    const many = Array.from({ length: 10_000 }, (_, index) => named(`tool_${index}`));
    const same = named("search");
    expect(elapsed(() => registry({ maxTools: 10_000 }).registerAll(many))).toBeLessThan(1_000);
    const one = registry({ maxTools: 10_000 });
    expect(
      elapsed(() => {
        for (let index = 0; index < 10_000; index++)
          one.register(same, { origin: "project", namespace: `n${index}` });
      }),
    ).toBeLessThan(1_000);
  });

  it("a look-up among a hundred thousand tools takes less than a microsecond and makes nothing", () => {
    const tools = registry({ maxTools: 100_000 });
    tools.registerAll(
      Array.from({ length: 100_000 }, (_, index) => named(`tool_${index}`)),
      {
        origin: "project",
        namespace: "big",
      },
    );
    const asked = Array.from({ length: 1_000 }, (_, index) => `big/tool_${index * 97}`);
    let found = 0;
    const lookUp = () => {
      for (const name of asked) if (tools.resolve(name).ok) found++;
    };
    lookUp();
    const best = Math.min(...Array.from({ length: 20 }, () => elapsed(lookUp)));
    expect(found).toBe(21_000);
    expect(best * 1_000).toBeLessThan(1_000);
    expect(tools.resolve("big/tool_7")).toBe(tools.resolve("big/tool_7"));
  });
});
