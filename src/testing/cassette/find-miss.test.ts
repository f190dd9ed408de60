import { agent, tool } from "haft";
import { describe, expect, it } from "vitest";
import { CassetteScene, cassetteErrorOf, lookCalls } from "../../../test/kit/cassette-scene.ts";
import { calls, says, scriptedModel } from "../scripted-model.ts";

const world = new CassetteScene();

describe("mismatch", () => {
  it("shows the call, the nearest entry with its line, the difference, and how to record again", async () => {
    await world.record(["one", "two"]);
    const error = await cassetteErrorOf(
      world.with({}, (haft) => haft.turn([{ id: "mine", tool: "look", input: { word: "ones", deep: [1] } }])),
    );
    expect(error.message).toBe(
      `The cassette ${world.path} does not match the calls.
1 call is not in the cassette:
  look (call mine): the arguments differ
  nearest: ${world.path}:6 (/entries/0); - is in the cassette, + was called
      {
    -   "word": "one"
    +   "deep": [
    +     1
    +   ],
    +   "word": "ones"
      }
2 calls are in the cassette, but never made:
  look (${world.path}:6)
  look (${world.path}:26)
If the calls are right, record again: delete the file or set HAFT_CASSETTES=record, and run the test once where CI is not set.`,
    );
    expect(error).toMatchObject({ name: "CassetteError", code: "failed", retryable: false });
  });

  it("names the tools of the tape when it has no call of the tool", async () => {
    await world.record(["one"]);
    const other = tool({ name: "other", description: "Another", input: [], run: () => 1 });
    const error = await cassetteErrorOf(
      world.with({}, (haft) => haft.turn([{ id: "a", tool: "other", input: {} }]), [world.look(), other]),
    );
    expect(error.message).toContain('the cassette has no call of this tool. It has "look"');
  });

  it("is a failed call for an agent, and is reported although the agent continues", async () => {
    await world.record(["one"]);
    const model = scriptedModel([calls(["look", { word: "two" }]), says("It cannot be found.")]);
    const helper = agent({ name: "helper", instructions: "Help.", model, tools: ["look"] });
    const error = await cassetteErrorOf(
      world.with({ match: "by-arguments" }, async (haft) => {
        const response = await haft.run(helper, "Find two");
        expect(response).toMatchObject({ status: "done", toolsUsed: [{ ok: false }] });
      }),
    );
    expect(error.message).toContain("1 call is not in the cassette");
    expect(error.message).not.toContain("never made");
  });

  it("is reported when the match function throws", async () => {
    await world.record(["one"]);
    const match = () => {
      throw new Error("oh no");
    };
    const error = await cassetteErrorOf(world.with({ match }, (haft) => haft.turn(lookCalls("one"))));
    expect(error.message).toContain("the match function threw: oh no");
  });
});
