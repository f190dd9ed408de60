import { type EventMap, Haft, http, type Principal, tool, workspace } from "haft";
import { cache, limit, retry } from "haft/layers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const principal: Principal = { agent: "clerk", allow: ["*"] };
const nothing = { type: "object", properties: {} } as const;
const greet = tool({ name: "greet", description: "Greets", input: nothing, run: () => "hello" });
const look = tool({
  name: "look",
  description: "Looks",
  input: nothing,
  annotations: { readOnly: true },
  run: () => "seen",
});
const twoOfAName = {
  tools: [greet],
  project: workspace().toolbox("desk").add(greet).build(),
  org: workspace().toolbox("all").add(greet).build(),
  principal,
};

let warned: string[] = [];
const record = ({ name, message }: Error): void => {
  if (name === "HaftWarning") warned.push(message);
};
beforeEach(() => {
  warned = [];
  process.on("warning", record);
});
afterEach(() => void process.off("warning", record));
/** Node emits a warning on its next turn. */
const reported = (): Promise<readonly string[]> =>
  new Promise((resolve) => setImmediate(() => resolve(warned)));

describe("listeners passed to Haft.open", () => {
  it("receive registrations and overrides while the runtime opens, once for each shadowed tool", async () => {
    const registered: string[] = [];
    const overridden: EventMap["tools.overridden"][] = [];
    await using haft = await Haft.open({
      ...twoOfAName,
      on: {
        "tools.registered": ({ toolName }) => registered.push(toolName),
        "tools.overridden": (event) => overridden.push(event),
      },
    });
    expect(registered).toEqual(["greet", "org/all/greet", "desk/greet"]);
    expect(overridden.map(({ toolName, shadowed }) => `${toolName} over ${shadowed}`).sort()).toEqual([
      "desk/greet over org/all/greet",
      "org/all/greet over greet",
    ]);
    expect(await reported()).toEqual([]);
    expect(await haft.call("greet", {})).toBe("hello");
  });

  it("receive calls like listeners that are added later", async () => {
    const ended: string[] = [];
    await using haft = await Haft.open({
      tools: [greet],
      principal,
      on: { "tools.executed": ({ toolName }) => ended.push(toolName), "tools.failed": undefined },
    });
    await haft.call("greet", {});
    expect(ended).toEqual(["greet"]);
  });

  it.each([[{ "tools.excuted": () => {} }], [{ "tools.executed": "log" }], [[() => {}]]])(
    "are refused for unknown events: %o",
    async (on) => {
      await expect(Haft.open({ on: on as never })).rejects.toMatchObject({
        code: "invalid_config",
        message: expect.stringContaining("tools.executed"),
      });
    },
  );
});

describe("an override without a listener", () => {
  it("is reported as a process warning", async () => {
    await using _haft = await Haft.open(twoOfAName);
    expect(await reported()).toContain(
      '"greet" now means the tool "desk/greet". Call the other one by its full name, "org/all/greet".',
    );
  });

  it("is also reported for a tool that is registered later", async () => {
    await using haft = await Haft.open({ tools: [greet], principal });
    expect(await reported()).toEqual([]);
    haft.register(greet, { origin: "project", namespace: "late", overrides: true });
    expect(await reported()).toEqual([
      '"greet" now means the tool "late/greet". Call the other one by its full name, "internal/greet".',
    ]);
  });
});

describe("a layer without effect on its tool is reported at registration", () => {
  it.each([
    ["cache", greet.layer(cache()), "set annotations: { readOnly: true }"],
    ["retry", greet.layer(retry()), "set annotations: { idempotent: true }"],
  ])("%s around a tool that writes", async (layer, idle, help) => {
    const received: EventMap["tools.idle-layer"][] = [];
    await using haft = await Haft.open({
      tools: [idle],
      principal,
      on: { "tools.idle-layer": (event) => received.push(event) },
    });
    expect(received).toEqual([{ toolName: "greet", layer, reason: expect.stringContaining(help) }]);
    await using _unheard = await Haft.open({ tools: [idle], principal });
    expect(await reported()).toEqual([
      expect.stringContaining(`"${layer}" has no effect on the tool "greet"`),
    ]);
    expect(await haft.call("greet", {})).toBe("hello");
  });

  it.each([
    ["a cache around a tool that reads", look.layer(cache())],
    ["retry around a tool that reads", look.layer(retry())],
    [
      "retry around a limit, which rejects calls before they start",
      greet.layer(limit({ concurrency: 1 }), retry()),
    ],
    [
      "retry around a request that may fail before it is sent",
      tool({
        name: "order",
        description: "Orders",
        input: nothing,
        implementation: http({ url: "http://shop.example/", method: "POST" }),
      }).layer(retry()),
    ],
  ])("but not %s", async (_, useful) => {
    await using _haft = await Haft.open({ tools: [useful], principal });
    expect(await reported()).toEqual([]);
  });
});
