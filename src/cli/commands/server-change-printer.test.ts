import { expect, test } from "vitest";
import type { McpServerState } from "../../types/mcp.ts";
import { serverChangePrinter } from "./serve.ts";

const stateOf = (more: Partial<McpServerState>): McpServerState => ({
  id: "shop",
  status: "connected",
  transport: "stdio",
  tools: ["shop/look"],
  quarantined: [],
  reconnects: 0,
  ...more,
});

const scene = (first: Partial<McpServerState>) => {
  let state = stateOf(first);
  const said: string[] = [];
  const look = serverChangePrinter(() => [state], {
    warning: (text) => said.push(`! ${text}`),
    note: (text) => said.push(text),
  });
  return {
    said,
    becomes: (more: Partial<McpServerState>) => {
      state = stateOf(more);
      look();
    },
  };
};

const held = (...names: readonly string[]) => names.map((name) => ({ tool: `shop/${name}`, reason: "new" }));

test("prints each change once, and not the state at the start", () => {
  const { said, becomes } = scene({ status: "error", reason: "it is away" });
  becomes({ status: "error", reason: "it is away" });
  expect(said).toEqual([]);
  becomes({});
  becomes({});
  becomes({ status: "disconnected", reason: "it left\u001b[2J" });
  expect(said).toEqual([
    "shop: all its tools can be called again.",
    expect.stringMatching(/^! shop: it is disconnected: it left/),
  ]);
  expect(said.join("")).not.toContain("\u001b");
});

test("does not print a server that connects after the start with all its tools", () => {
  const { said, becomes } = scene({ status: "connecting" });
  becomes({});
  expect(said).toEqual([]);
});

test("names three of many quarantined tools, and a common reason once", () => {
  const { said, becomes } = scene({});
  const four = [...held("a", "b", "c"), { tool: "shop/d", reason: "renamed" }];
  becomes({ status: "degraded", quarantined: four });
  becomes({ status: "degraded", quarantined: held("a", "b"), tools: [] });
  expect(said).toEqual([
    "! shop: 4 of 5 tools are quarantined, the others can be called. shop/a: new; shop/b: new; shop/c: new; and 1 more. haft lock --diff shows what changed.",
    "! shop: 2 of 2 tools are quarantined. new. haft lock --diff shows what changed.",
  ]);
});
