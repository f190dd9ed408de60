import { agent } from "haft";
import { calls, says } from "haft/testing";
import { describe, expect, it } from "vitest";
import { searchScene, searchSceneTools, toolReplies, toolWith } from "../../test/kit/search-scene.ts";

describe("tool search of an agent", () => {
  it("shows the search tools first, and loaded tools from then on", async () => {
    const { haft, desk, shown } = await searchScene([
      calls(["search_tools", { query: "refund an order" }]),
      calls(["load_tools", { names: ["send_email", "refund_order"] }]),
      calls(["refund_order", { id: "7" }]),
      says("Done."),
    ]);
    const { context, toolsUsed } = await haft.run(desk, "Refund order 7");
    expect(shown()).toEqual([
      ["load_tools", "search_tools"],
      ["load_tools", "search_tools"],
      ["load_tools", "search_tools", "refund_order", "send_email"],
      ["load_tools", "search_tools", "refund_order", "send_email"],
    ]);
    const [found, loaded, ran] = toolReplies(context);
    expect(JSON.parse(found!).tools[0]).toEqual({
      name: "refund_order",
      summary: "Pays the money of an order back.",
      score: expect.any(Number),
    });
    expect(JSON.parse(loaded!)).toEqual({ loaded: ["refund_order", "send_email"] });
    expect(ran).toBe("refund_order ran");
    expect(toolsUsed.map(({ ok }) => ok)).toEqual([true, true, true]);
  });

  it("shows tools of always and handoffs from the start, sorted by name", async () => {
    const expert = agent({ name: "boss", instructions: "Decide." });
    const more = { toolSearch: { always: ["send_email", "get_weather"] }, handoffs: [expert] };
    const { haft, desk, shown } = await searchScene([says("Hello.")], { more });
    await haft.run(desk, "Hello");
    expect(shown()).toEqual([["get_weather", "handoff_to_boss", "load_tools", "search_tools", "send_email"]]);
  });

  it("runs a tool that was not loaded, and shows it from then on", async () => {
    const { haft, desk, shown } = await searchScene([
      calls(["get_weather", { id: 7 }]),
      calls(["send_email", {}]),
      says("Done."),
    ]);
    const { toolsUsed } = await haft.run(desk, "Weather?");
    expect(toolsUsed.map(({ name, ok }) => [name, ok])).toEqual([
      ["get_weather", false],
      ["send_email", true],
    ]);
    // A failed call also shows the definition, so that the model can correct its arguments.
    expect(shown().at(-1)).toEqual(["load_tools", "search_tools", "get_weather", "send_email"]);
  });

  it("reports tools that are loaded already, and suggests a name for unknown ones", async () => {
    const { haft, desk } = await searchScene([
      calls(["load_tools", { names: ["get_weather", "get_weather"] }]),
      calls(
        ["load_tools", { names: ["send_email", "get_weather", "refund_ordr"] }],
        ["search_tools", { query: "weather" }],
      ),
      calls(["load_tools", { names: ["quux"] }]),
      says("Done."),
    ]);
    const { context } = await haft.run(desk, "Go");
    const [first, second, found, third] = toolReplies(context);
    expect(JSON.parse(first!)).toEqual({ loaded: ["get_weather"] });
    expect(JSON.parse(second!)).toEqual({
      loaded: ["send_email"],
      already: ["get_weather"],
      unknown: ['There is no tool named "refund_ordr". Did you mean refund_order?'],
    });
    expect(JSON.parse(found!).tools[0]).toMatchObject({ name: "get_weather", loaded: true });
    expect(third).toBe('Error: There is no tool named "quux". Find tools with search_tools.');
  });

  it("finds a tool by its namespace and loads it by its full name", async () => {
    const { haft, desk, shown } = await searchScene(
      [
        calls(["search_tools", { query: "payments ledger" }]),
        calls(["load_tools", { names: ["payments/close_day"] }]),
        says("Done."),
      ],
      { all: [] },
    );
    haft.register(toolWith("close_day", "Ends the day"), { origin: "project", namespace: "payments" });
    haft.register(toolWith("open_day", "Begins the day"), { origin: "project", namespace: "shops" });
    const { context } = await haft.run(desk, "Close");
    expect(JSON.parse(toolReplies(context)[0]!).tools.map(({ name }: { name: string }) => name)).toEqual([
      "payments__close_day",
    ]);
    expect(shown().at(-1)).toEqual(["load_tools", "search_tools", "payments__close_day"]);
  });

  it("does not find a tool whose name another tool has taken", async () => {
    const { haft, desk } = await searchScene(
      [calls(["search_tools", { query: "close the day" }]), says("Done.")],
      { all: [toolWith("close_day", "Closes the day")] },
    );
    haft.register(toolWith("close_day", "Closes the day of a shop"), {
      origin: "project",
      namespace: "shops",
      overrides: true,
    });
    const { context } = await haft.run(desk, "Close");
    expect(JSON.parse(toolReplies(context)[0]!).tools.map(({ name }: { name: string }) => name)).toEqual([
      "shops__close_day",
    ]);
  });

  it("reports in a sentence that no tool fits", async () => {
    const { haft, desk } = await searchScene([calls(["search_tools", { query: "zzz qqq" }]), says("No.")]);
    const { context } = await haft.run(desk, "Go");
    const { tools: found, none } = JSON.parse(toolReplies(context)[0]!);
    expect(found).toEqual([]);
    expect(none).toMatch(/^No tool matches.*\. Search again with other words, or answer without a tool\.$/);
  });

  it("finds as many tools as configured or requested, up to 20", async () => {
    const all = Array.from({ length: 60 }, (_, index) => toolWith(`report_${index}`, "Writes a report"));
    const query = "write a report";
    const { haft, desk } = await searchScene(
      [
        calls(
          ["search_tools", { query }],
          ["search_tools", { query, limit: 2 }],
          ["search_tools", { query, limit: 50 }],
        ),
        says("Done."),
      ],
      { all },
    );
    const { context } = await haft.run(desk, "Go");
    expect(toolReplies(context).map((each) => JSON.parse(each).tools.length)).toEqual([5, 2, 20]);
  });

  it("finds no tool below minScore", async () => {
    const line = calls(["search_tools", { query: "weather umbrella boots raincoat" }]);
    const low = await searchScene([line, says("Done.")]);
    const { context } = await low.haft.run(low.desk, "Go");
    const [{ score }] = JSON.parse(toolReplies(context)[0]!).tools;
    const high = await searchScene([line, says("Done.")], {
      more: { toolSearch: { minScore: score + 0.01 } },
    });
    expect(JSON.parse(toolReplies((await high.haft.run(high.desk, "Go")).context)[0]!).tools).toEqual([]);
  });

  it("loads no more tools than maxLoaded and says what to do instead", async () => {
    const { haft, desk, shown } = await searchScene(
      [
        calls(["load_tools", { names: ["send_email", "get_weather", "refund_order"] }]),
        calls(
          ["load_tools", { names: ["get_weather"] }],
          ["load_tools", { names: ["send_email", "refund_order"] }],
        ),
        calls(["load_tools", { names: ["send_email"] }]),
        calls(["load_tools", { names: ["refund_order"] }], ["refund_order", {}]),
        says("Done."),
      ],
      { more: { toolSearch: { maxLoaded: 2, always: ["list_invoices"] } } },
    );
    const { context } = await haft.run(desk, "Go");
    expect(toolReplies(context)).toEqual([
      "Error: 3 tools were requested, but only 2 more can be loaded (maximum 2). Load only the tools that you need.",
      '{"loaded":["get_weather"]}',
      "Error: 2 tools were requested, but only 1 more can be loaded (maximum 2). Load only the tools that you need.",
      '{"loaded":["send_email"]}',
      "Error: No more tools can be loaded: the maximum of 2 is reached. Use the loaded tools, or call a tool that search_tools found by its name without loading it.",
      "refund_order ran",
    ]);
    expect(shown()[3]).toEqual(["list_invoices", "load_tools", "search_tools", "get_weather", "send_email"]);
  });

  it.each([
    ["search_tools", {}, "query"],
    ["search_tools", { query: "" }, "query"],
    ["search_tools", { query: "   " }, "The query is empty"],
    ["search_tools", { query: "x".repeat(1_000_000) }, "query"],
    ["search_tools", { query: "x".repeat(2_000_000) }, "characters"],
    ["search_tools", { query: 7 }, "query"],
    ["search_tools", { query: "refund", limit: 0 }, "limit"],
    ["search_tools", { query: "refund", limit: 1e9 }, "limit"],
    ["load_tools", {}, "names"],
    ["load_tools", { names: [] }, "names"],
    ["load_tools", { names: { 0: "send_email" } }, "names"],
    ["load_tools", { names: [null] }, "names"],
    ["load_tools", { names: Array.from({ length: 101 }, () => "a") }, "names"],
  ])("reports invalid input to the model in a short message: %s", async (name, input, word) => {
    const { haft, desk } = await searchScene([calls([name, input]), says("Sorry.")]);
    const { context } = await haft.run(desk, "Go");
    const [said] = toolReplies(context);
    expect(said).toMatch(/^Error: /);
    expect(said).toContain(word);
    expect(said!.length).toBeLessThan(600);
    expect((await haft.log()).at(-2)).toMatchObject({
      tool: name,
      ending: "failed",
      code: expect.stringMatching(/^(invalid|unreadable)_input$/),
    });
  });

  it("records both tools as read-only calls without taints", async () => {
    const { haft, desk } = await searchScene([
      calls(["search_tools", { query: "refund" }]),
      calls(["load_tools", { names: ["refund_order"] }]),
      says("Done."),
    ]);
    const { runId } = await haft.run(desk, "Go");
    const rows = (await haft.log({ runId })).filter(({ tool: name }) => name.endsWith("_tools"));
    expect(rows).toMatchObject([
      { tool: "search_tools", ending: "executed", ran: true, agent: "desk", input: '{"query":"refund"}' },
      {
        tool: "load_tools",
        ending: "executed",
        ran: true,
        agent: "desk",
        result: '{"loaded":["refund_order"]}',
      },
    ]);
    for (const row of rows) expect(row.taints ?? []).toEqual([]);
  });
});

describe("invalid toolSearch", () => {
  it.each([
    [{ toolSearch: false }, "must be true or an object"],
    [{ toolSearch: "yes" }, "must be true or an object"],
    [{ toolSearch: null }, "must be true or an object"],
    [{ toolSearch: { allways: [] } }, "unknown field `allways`. The fields are: always,"],
    [{ toolSearch: { always: "send_email" } }, "`always`, which must be a list"],
    [{ toolSearch: { always: [7] } }, "`always`, which must be a list"],
    [{ toolSearch: { maxCandidates: 0 } }, "`maxCandidates`, which must be a whole number of at least 1"],
    [{ toolSearch: { minScore: 1.1 } }, "`minScore`, which must be a number from 0 to 1"],
    [{ toolSearch: { maxLoaded: 2.5 } }, "`maxLoaded`, which must be a whole number of at least 1"],
    [{ toolSearch: { by: "openai" } }, '`by`, which must be "haft" or "provider"'],
  ])("is refused with a remedy: %j", (more, message) => {
    const define = () => agent({ name: "desk", instructions: "Help.", ...(more as object) });
    expect(define).toThrow('`toolSearch` of the agent "desk"');
    expect(define).toThrow(message);
  });

  it("is refused when always has an unknown name, without naming other tools", async () => {
    const { haft, desk, model } = await searchScene([], { more: { toolSearch: { always: ["send_emial"] } } });
    await expect(haft.run(desk, "Go")).rejects.toMatchObject({
      code: "not_bound",
      message: '`toolSearch.always` of the agent "desk" names "send_emial", which is none of its tools.',
    });
    expect(model.requests).toHaveLength(0);
  });

  it.each(["search_tools", "load_tools"])(
    "is refused when the agent has a tool of its own called %s",
    async (name) => {
      const { haft, desk } = await searchScene([], {
        all: [...searchSceneTools, toolWith(name, "Something else")],
      });
      await expect(haft.run(desk, "Go")).rejects.toMatchObject({
        code: "not_bound",
        message: expect.stringContaining(
          `A tool of the agent "desk" is named "${name}", like a tool that \`toolSearch\` adds.`,
        ),
      });
    },
  );
});
