import * as Effect from "effect/Effect";
import { agent, Haft, rewrite } from "haft";
import { describe, expect, it } from "vitest";
import { CassetteScene, principal } from "../../../test/kit/cassette-scene.ts";
import type { ToolLayer } from "../../types/tool.ts";
import { cassette } from "../cassette.ts";
import { says, scriptedModel } from "../scripted-model.ts";

const world = new CassetteScene();

describe("recorded model", () => {
  const textOf = async (layer: ToolLayer, replies: readonly ReturnType<typeof says>[]): Promise<unknown> => {
    await using haft = await Haft.open({ principal });
    const guide = agent({ name: "guide", instructions: "Say it.", model: scriptedModel(replies) });
    const events: string[] = [];
    for await (const event of haft.stream(guide, "Hello", { modelLayers: [layer] })) {
      if (event.kind === "text") events.push(event.text);
      if (event.kind === "reset") events.push(`reset: ${event.reason}`);
    }
    return events;
  };
  const shouting: ToolLayer = (next) => (call) =>
    Effect.map(next(call), (outcome) =>
      outcome._tag === "value"
        ? rewrite({ ...(outcome.value as object), text: "GOOD MORNING" }, outcome.value)
        : outcome,
    );

  it("streams its text when it is replayed, without a request to the model", async () => {
    for (const replies of [[says("Good morning")], []]) {
      await using tape = cassette(world.path);
      expect(await textOf(tape.layer, replies).then((events) => (events as string[]).join(""))).toBe(
        "Good morning",
      );
    }
  });

  it("has its streamed text reset when a layer changes its reply", async () => {
    expect(await textOf(shouting, [says("Good morning")])).toEqual([
      "Good",
      " morning",
      "reset: a layer changed the model's reply",
      "GOOD MORNING",
    ]);
  });
});
