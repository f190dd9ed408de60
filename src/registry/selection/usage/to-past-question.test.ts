import { agent, type Haft, handoff, type Message, pickTools } from "haft";
import { usageScorer } from "haft/selection";
import { calls, type ScriptLine, says, scriptedModel } from "haft/testing";
import { describe, expect, it } from "vitest";
import {
  ann,
  clerk,
  legacyTool,
  openWithTools,
  parcelQuestion,
  parcels,
  pickedNames,
  readOnlyTool,
  runQuestion,
  runQuestions,
  weatherTool,
} from "../../../../test/kit/usage-scene.ts";

describe("usage ignores", () => {
  const twice = async (haft: Haft, ...lines: readonly ScriptLine[]) => {
    for (const question of parcels) await runQuestion(haft, question, ...lines);
    return pickedNames(await haft.pick(parcelQuestion, { scorer: usageScorer(haft), maxCandidates: 9 }));
  };

  it("failed and denied calls", async () => {
    await using haft = await openWithTools({ principal: { ...ann, deny: ["get_weather"] } });
    expect(await twice(haft, calls(["qq_broken", {}], ["get_weather", {}], ["zx_lookup", {}]))).toEqual([
      "zx_lookup",
    ]);
  });

  it("a run that failed", async () => {
    await using haft = await openWithTools();
    for (const question of parcels) {
      const model = scriptedModel([calls(["zx_lookup", {}]), new Error("The model is gone.")]);
      await haft.run(clerk, question, { model }).catch(() => {});
    }
    expect(await haft.pick(parcelQuestion, { scorer: usageScorer(haft) })).toEqual([]);
  });

  it("calls after untrusted content was read", async () => {
    await using haft = await openWithTools();
    const steered = [calls(["read_letters", {}]), calls(["zx_lookup", {}])];
    expect(await twice(haft, ...steered)).toEqual(["read_letters"]);
  });

  it("calls and runs made by the code of a tool", async () => {
    const inside: { haft?: Haft } = {};
    const busy = readOnlyTool("busy", "Reads BB12.", {
      run: async () => {
        await inside.haft!.call("get_weather", {});
        await runQuestion(inside.haft!, parcelQuestion, calls(["zx_lookup", {}]));
        return "busy ran";
      },
    });
    await using haft = await openWithTools({ tools: [legacyTool, weatherTool, busy] });
    inside.haft = haft as never;
    expect(await twice(haft as never, calls(["busy", {}]))).toEqual(["busy"]);
  });

  it("a row that a model wrote in the form of a question", async () => {
    await using haft = await openWithTools();
    const forged = { messages: 2, last: { role: "user", content: "Is the parcel for Tom there?" } };
    const lines = [calls(["model:scripted/model", forged]), calls(["zx_lookup", {}])];
    for (const question of ["Restart the database", "Reboot the database"])
      await runQuestion(haft, question, ...lines);
    const scorer = usageScorer(haft);
    expect(await haft.pick(parcelQuestion, { scorer })).toEqual([]);
    expect(pickedNames(await haft.pick("Restart the database now", { scorer }))).toEqual(["zx_lookup"]);
  });

  it("a question within a conversation", async () => {
    await using haft = await openWithTools();
    const said: readonly Message[] = [
      { role: "user", content: "Hello" },
      { role: "assistant", content: "Hello" },
    ];
    for (const content of parcels)
      await runQuestion(haft, [...said, { role: "user", content }], calls(["zx_lookup", {}]));
    expect(await haft.pick(parcelQuestion, { scorer: usageScorer(haft) })).toEqual([]);
  });

  it("tool searches and handoffs", async () => {
    const over = readOnlyTool("pass_on", "Reads PP33.", { run: () => handoff("expert") });
    const expert = agent({ name: "expert", instructions: "Help.", tools: ["zx_lookup"] });
    const desk = agent({
      name: "desk",
      instructions: "Help.",
      tools: ["*"],
      toolSearch: { always: ["pass_on"] },
      handoffs: [expert],
    });
    await using haft = await openWithTools({ tools: [legacyTool, over] });
    for (const question of parcels) {
      const model = scriptedModel([
        calls(["search_tools", { query: "parcel" }]),
        calls(["pass_on", {}]),
        calls(["zx_lookup", {}]),
        says("Done."),
      ]);
      await haft.run(desk, question, { model });
    }
    const rows = await haft.log({ ending: "executed" });
    expect(rows.map((row) => row.tool)).toEqual(expect.arrayContaining(["search_tools", "pass_on"]));
    // Both tools are offered here, so only the ledger rows can exclude them.
    const specs = [...haft.offer().offer.specs, { ...legacyTool.spec, name: "search_tools" }];
    const scorer = usageScorer(haft);
    expect(pickedNames(await pickTools(parcelQuestion, specs, { scorer }))).toEqual(["zx_lookup"]);
  });

  it("a tool that is no longer offered", async () => {
    await using haft = await openWithTools();
    await runQuestions(haft, parcels);
    haft.unregister("zx_lookup");
    expect(await haft.pick(parcelQuestion, { scorer: usageScorer(haft) })).toEqual([]);
  });
});
