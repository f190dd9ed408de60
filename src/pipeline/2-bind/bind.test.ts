import { Haft, type Implementation, tool } from "haft";
import { describe, expect, it } from "vitest";

const principal = { agent: "tester", allow: ["*"] };
const call = (id: string) => ({ id, tool: "device", input: "{}" });

const open = (bind: () => unknown) => {
  const implementation = { _tag: "device", bind } as Implementation;
  const device = tool({ name: "device", description: "A device", input: [], implementation });
  return Haft.open({ tools: [device], principal });
};

describe("binding", () => {
  it("is done once for a tool, however often it is called", async () => {
    let bound = 0;
    let ran = 0;
    const haft = await open(() => {
      bound += 1;
      return async () => ++ran;
    });
    await haft.turn([call("1"), call("2")]);
    await haft.turn([call("3")]);
    expect([bound, ran]).toEqual([1, 3]);
  });

  it.each<[string, () => unknown, string]>([
    [
      "throws an error",
      () => {
        throw new Error("not plugged in");
      },
      "not plugged in",
    ],
    [
      "throws a text",
      () => {
        throw "not plugged in";
      },
      "not plugged in",
    ],
    ["gives no function", () => "run", "bind returned string, not a function"],
    ["gives nothing", () => undefined, "bind returned undefined, not a function"],
  ])("that %s leaves a tool that cannot answer, and the reason is for operators", async (_, bind, detail) => {
    const haft = await open(bind);
    const [reply] = await haft.turn([call("1")]);
    expect(reply?.failure).toMatchObject({ code: "not_bound", tool: "device", detail });
    expect(reply?.text).not.toContain(detail);
    expect((await haft.log())[0]).toMatchObject({ ending: "failed", code: "not_bound", ran: false });
  });

  it("that failed is tried again by the next call", async () => {
    let isPluggedIn = false;
    const haft = await open(() => (isPluggedIn ? async () => "on" : undefined));
    expect((await haft.turn([call("1")]))[0]?.failure?.code).toBe("not_bound");
    isPluggedIn = true;
    expect((await haft.turn([call("2")]))[0]).toMatchObject({ ok: true, value: "on" });
  });
});
