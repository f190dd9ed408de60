import type { RightExplained, Rights } from "haft/studio";
import { describe, expect, it } from "vitest";
import { studioScene } from "../../../test/kit/studio-scene.ts";

describe("rights", () => {
  it("who may what is the policy's own word, with the rule that decided", async () => {
    const policy = {
      rules: [
        { effect: "allow", tools: ["*"] },
        { id: "no-refunds", effect: "deny", tools: ["refund"], agents: ["clerk"] },
      ],
    };
    const { get } = await studioScene({ policy: policy as never });
    const { principals, tools, cells } = await get<Rights>("/rights", "Rights");
    const of = (agent: string, tool: string) =>
      cells[principals.findIndex(({ caller }) => caller.agent === agent)]![tools.indexOf(tool)]!;
    expect(of("clerk", "refund")).toMatchObject({ effect: "deny", ruleIds: ["no-refunds"] });
    expect(of("clerk", "find_order")).toMatchObject({ effect: "allow" });
    expect(of("guest", "refund")).toMatchObject({ effect: "deny" });
    const why = await get<RightExplained>(
      "/rights/explain?as=clerk&tool=refund&input=%7B%22id%22%3A%221%22%7D",
      "RightExplained",
    );
    expect(why).toMatchObject({
      effect: "deny",
      ruleIds: ["no-refunds"],
      text: expect.stringContaining("no-refunds"),
    });
  });
});
