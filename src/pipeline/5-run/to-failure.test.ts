import * as Effect from "effect/Effect";
import { Haft, type Implementation, SandboxError, ToolError, tool } from "haft";
import { failed } from "haft/layers";
import { describe, expect, it } from "vitest";

const principal = { agent: "tester", allow: ["*"] };

const outcomeOf = async (run: () => unknown) => {
  const bad = tool({ name: "bad", description: "Fails", input: [], run });
  const haft = await Haft.open({ tools: [bad], principal });
  const [reply] = await haft.turn([{ id: "1", tool: "bad", input: "{}" }]);
  const [entry] = await haft.log();
  return { failure: reply?.failure, entry };
};

const rejecting = (error: unknown) => () => Promise.reject(error);

describe("failure of the code", () => {
  it.each<[string, unknown, string]>([
    ["an error with a message", new Error("no such city"), "no such city"],
    ["an error without a message, by its tag", { message: "", _tag: "Gone" }, "Gone"],
    ["an error whose message is not a string, by its tag", { message: 5, _tag: "Gone" }, "Gone"],
    ["a string", "offline", "offline"],
    ["undefined", undefined, "undefined"],
    ["null", null, "null"],
    ["an error whose tag is not a string", { _tag: 5, toString: () => "five" }, "five"],
  ])("reports %s", async (_, error, message) => {
    const { failure, entry } = await outcomeOf(rejecting(error));
    expect(failure).toMatchObject({
      code: "failed",
      tool: "bad",
      ran: true,
      message: `The tool "bad" failed: ${message}`,
    });
    expect(entry?.attempts).toMatchObject([{ ending: "ended", ran: true }]);
  });

  it("has retryAfterMs only when that is a number", async () => {
    const failureAfter = async (retryAfterMs: unknown) =>
      (await outcomeOf(rejecting(Object.assign(new Error("busy"), { retryAfterMs })))).failure;
    expect((await failureAfter(1_500))?.retryAfterMs).toBe(1_500);
    for (const nonsense of ["soon", undefined, null])
      expect(await failureAfter(nonsense)).not.toHaveProperty("retryAfterMs");
  });

  it("keeps a code of the run stage and replaces a code of another stage", async () => {
    const own = await outcomeOf(rejecting(new SandboxError("sandbox_failed", "Out of memory.")));
    expect(own.failure).toMatchObject({ code: "sandbox_failed", tool: "bad", ran: true });
    const others = await outcomeOf(rejecting(new ToolError("denied", "You may not.")));
    expect(others.failure).toMatchObject({ code: "failed", message: 'The tool "bad" failed: You may not.' });
    const unknown = new ToolError("failed", "From another version.");
    Object.assign(unknown.failure, { code: "no_such_code" });
    expect((await outcomeOf(rejecting(unknown))).failure?.code).toBe("failed");
  });

  it("is crashed, with a detail for operators, when an Effect dies", async () => {
    const { failure } = await outcomeOf(() => Effect.die(new Error("bug")));
    expect(failure).toMatchObject({ code: "crashed", ran: true, detail: "bug" });
  });

  it("is crashed when an implementation throws before it returns a promise", async () => {
    const bind = () => (): never => {
      throw new Error("not plugged in");
    };
    const bad = tool({
      name: "bad",
      description: "Throws",
      input: [],
      implementation: { _tag: "device", bind },
    });
    const haft = await Haft.open({ tools: [bad], principal });
    const [reply] = await haft.turn([{ id: "1", tool: "bad", input: "{}" }]);
    expect(reply?.failure).toMatchObject({ code: "crashed", ran: true, detail: "not plugged in" });
    expect((await haft.log())[0]?.attempts).toMatchObject([{ ending: "ended", ran: true }]);
  });

  it("is cancelled with an unknown ending when the code interrupts itself", async () => {
    const { failure, entry } = await outcomeOf(() => Effect.interrupt);
    expect(failure).toMatchObject({ code: "cancelled", ran: true });
    expect(entry?.attempts).toMatchObject([{ ending: "unknown", ran: true }]);
  });
});

describe("outcome returned by the code", () => {
  it.each([
    ["outcome_unknown", "unknown"],
    ["cancelled", "unknown"],
    ["failed", "ended"],
  ] as const)("with code %s records an attempt with ending %s", async (code, ending) => {
    const { entry } = await outcomeOf(() => failed({ code, message: "no" }));
    expect(entry?.attempts).toMatchObject([{ ending, ran: true }]);
  });

  it("is refused when it is invalid or pending", async () => {
    const brand = Symbol.for("haft/outcome");
    const waiting = { id: "a", tool: "bad", callId: "1", input: {}, principal, reason: "why" };
    for (const nonsense of [
      { [brand]: true, _tag: "pending", approval: waiting },
      { [brand]: true, _tag: "maybe" },
    ]) {
      const { failure, entry } = await outcomeOf(() => nonsense);
      expect(failure).toMatchObject({
        code: "crashed",
        ran: true,
        detail: "it returned an invalid outcome",
      });
      expect(entry?.ending).toBe("failed");
    }
  });

  it("is crashed when it cannot be inspected", async () => {
    const has = (): never => {
      throw new Error("no");
    };
    const { failure, entry } = await outcomeOf(async () => new Proxy({}, { has }));
    expect(failure).toMatchObject({
      code: "crashed",
      detail: "it answered with a value that cannot be read",
    });
    expect(entry?.attempts).toMatchObject([{ ending: "ended", ran: true }]);
  });

  it("counts as not run only when the implementation can prove that and says so", async () => {
    const ranOf = async (ran: boolean | undefined, provesNotRun: boolean | undefined, code = "failed") => {
      const implementation = {
        _tag: "sender",
        ...(provesNotRun === undefined ? {} : { provesNotRun }),
        bind: () => async () =>
          code === "value"
            ? "sent"
            : failed({ code: "failed", message: "not sent", ...(ran === undefined ? {} : { ran }) }),
      } as Implementation;
      const send = tool({ name: "send", description: "Sends", input: [], implementation });
      const haft = await Haft.open({ tools: [send], principal });
      await haft.turn([{ id: "1", tool: "send", input: "{}" }]);
      return (await haft.log())[0]?.attempts?.[0]?.ran;
    };
    expect(await ranOf(false, true)).toBe(false);
    expect(await ranOf(false, undefined)).toBe(true);
    expect(await ranOf(undefined, true)).toBe(true);
    expect(await ranOf(true, true)).toBe(true);
    expect(await ranOf(undefined, true, "value")).toBe(true);
  });
});
