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
  it("happens once per tool", async () => {
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
      "throws a string",
      () => {
        throw "not plugged in";
      },
      "not plugged in",
    ],
    ["returns a string", () => "run", "bind returned string, not a function"],
    ["returns undefined", () => undefined, "bind returned undefined, not a function"],
  ])("reports not_bound with a detail for operators when bind %s", async (_, bind, detail) => {
    const haft = await open(bind);
    const [reply] = await haft.turn([call("1")]);
    expect(reply?.failure).toMatchObject({ code: "not_bound", tool: "device", detail });
    expect(reply?.text).not.toContain(detail);
    expect((await haft.log())[0]).toMatchObject({ ending: "failed", code: "not_bound", ran: false });
  });

  it("is retried by the next call after a failure", async () => {
    let isPluggedIn = false;
    const haft = await open(() => (isPluggedIn ? async () => "on" : undefined));
    expect((await haft.turn([call("1")]))[0]?.failure?.code).toBe("not_bound");
    isPluggedIn = true;
    expect((await haft.turn([call("2")]))[0]).toMatchObject({ ok: true, value: "on" });
  });
});
