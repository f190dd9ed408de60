import { Haft, type Principal, tool, workspace } from "haft";
import { describe, expect, it } from "vitest";

const empty = (name: string) => tool({ name, description: name, input: [], run: () => name });
const everyone: Principal = { agent: "tester", allow: ["**"] };

const failureOf = async (name: string, names: readonly string[], allow: readonly string[] = ["**"]) => {
  const haft = await Haft.open({ tools: names.map(empty), principal: { agent: "tester", allow } });
  const [reply] = await haft.turn([{ id: "1", tool: name, input: "{}" }]);
  return reply?.failure;
};
const numbered = (count: number) =>
  Array.from({ length: count }, (_, index) => `tool_${String(index).padStart(2, "0")}`);

describe("unknown tool name", () => {
  it("lists the available tools and suggests the closest match", async () => {
    expect(await failureOf("serach", ["search", "write"])).toMatchObject({
      code: "unknown_tool",
      tool: "serach",
      message: 'There is no tool named "serach". Did you mean search? Tools you can use: search, write.',
    });
    expect((await failureOf("zzzzzzzz", ["search", "write"]))?.message).toBe(
      'There is no tool named "zzzzzzzz". Tools you can use: search, write.',
    );
  });

  it("omits tools that the caller may not see", async () => {
    expect((await failureOf("serach", ["search", "write"], ["write"]))?.message).toBe(
      'There is no tool named "serach". Tools you can use: write.',
    );
    expect((await failureOf("serach", ["search"], []))?.message).toBe(
      'There is no tool named "serach". No tools are available to you.',
    );
    expect((await failureOf("serach", []))?.message).toBe(
      'There is no tool named "serach". No tools are available to you.',
    );
  });

  it("lists at most twenty tools and marks a longer list", async () => {
    const listed = (await failureOf("zzzzzzzz", numbered(20)))?.message;
    expect(listed).toContain(`Tools you can use: ${numbered(20).join(", ")}.`);
    const more = (await failureOf("zzzzzzzz", numbered(21)))?.message;
    expect(more).toContain(`Tools you can use: ${numbered(20).join(", ")}, and more.`);
  });

  it("truncates the requested name to 100 characters", async () => {
    const [hundred, longer] = ["x".repeat(100), "x".repeat(101)];
    expect(await failureOf(hundred, [])).toMatchObject({ tool: hundred });
    expect(await failureOf(longer, [])).toMatchObject({ tool: `${hundred}…` });
    expect((await failureOf(longer, []))?.message).toContain(`"${hundred}…"`);
  });
});

describe("tool that the caller may not see", () => {
  it("reports not_visible with the tools that are visible", async () => {
    const failure = await failureOf("search", ["search", "write"], ["write"]);
    expect(failure).toMatchObject({
      code: "not_visible",
      tool: "search",
      message: 'The tool "search" is not available to you. Tools you can use: write.',
    });
    expect(failure?.detail).toBeTypeOf("string");
  });

  it("reports unknown_tool for a short name that only hidden tools have", async () => {
    const project = workspace().toolbox("a").add(empty("read")).toolbox("b").add(empty("read")).build();
    const haft = await Haft.open({ project, principal: everyone });
    const codeFor = async (allow: readonly string[]) =>
      (await haft.as({ agent: "weak", allow }).turn([{ id: "1", tool: "read", input: "{}" }]))[0]?.failure;
    expect(await codeFor(["**"])).toMatchObject({
      code: "ambiguous_tool",
      tool: "read",
      message: 'The name "read" matches several tools. Use a full name: a/read, b/read.',
    });
    expect((await codeFor(["other"]))?.code).toBe("unknown_tool");
  });
});
