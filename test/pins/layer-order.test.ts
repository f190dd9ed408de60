import { Haft, tool } from "haft";
import { expect, it } from "vitest";
import { recordingLayer } from "../kit/test-layers.ts";

const principal = { agent: "tester", allow: ["*"] };

it("operator layers wrap run layers, which wrap tool layers; the last layer of each is outermost", async () => {
  const seen: string[] = [];
  const work = tool({
    name: "work",
    description: "Works",
    input: { type: "object" } as const,
    layers: [recordingLayer("tool 1", seen)],
    run: () => {
      seen.push("code");
      return 1;
    },
  }).layer(recordingLayer("tool 2", seen), recordingLayer("tool 3", seen));
  const haft = await Haft.open({
    tools: [work],
    principal,
    layers: [recordingLayer("operator 1", seen), recordingLayer("operator 2", seen)],
  });
  await haft.turn([{ id: "1", tool: "work", input: "{}" }], {
    layers: [recordingLayer("run 1", seen), recordingLayer("run 2", seen)],
  });
  expect(seen).toEqual([
    "operator 2 in",
    "operator 1 in",
    "run 2 in",
    "run 1 in",
    "tool 3 in",
    "tool 2 in",
    "tool 1 in",
    "code",
    "tool 1 out",
    "tool 2 out",
    "tool 3 out",
    "run 1 out",
    "run 2 out",
    "operator 1 out",
    "operator 2 out",
  ]);
});
