import { describe, expect, it } from "vitest";
import { toolNamed } from "../../test/kit/tool-named.ts";
import type { ToolPlace } from "./place.ts";
import { toolRegistry } from "./tool-registry.ts";

const project = (namespace: string, overrides = false): ToolPlace => ({
  origin: "project",
  namespace,
  overrides,
});

describe("near", () => {
  const tools = toolRegistry();
  tools.registerAll(["get_weather", "get_time", "send_mail", "wipe_disk"].map((name) => toolNamed(name)));
  tools.register(toolNamed("read_file"), project("fs"));
  const all = () => true;

  it.each([
    ["get_wether", ["get_weather"]],
    ["getWeather", ["get_weather"]],
    ["weather", ["get_weather"]],
    ["read_fil", ["fs__read_file"]],
    ["fs/read-files", ["fs/read_file"]],
    ["zzzzzzzz", []],
    ["", []],
    ["🤖", []],
  ])("suggests for %j the names %j", (asked, expected) => {
    expect(tools.near(asked, all)).toEqual(expected);
  });

  it("suggests only visible tools", () => {
    expect(tools.near("wipe_disc", all)).toEqual(["wipe_disk"]);
    expect(tools.near("wipe_disc", ({ key }) => key !== "wipe_disk")).toEqual([]);
  });

  it("returns at most five names and handles a very long name", () => {
    const many = toolRegistry({ maxTools: 20_000 });
    many.registerAll(Array.from({ length: 20_000 }, (_, index) => toolNamed(`search_the_web_${index}`)));
    expect(many.near("search_the_web_7", all)).toHaveLength(5);
    expect(many.near("x".repeat(1_000_000), all)).toEqual([]);
  });
});
