import { describe, expect, it } from "vitest";
import { codeScene, newLedgerFile, runProgram } from "../../../test/kit/code-scene.ts";
import { testRegistration } from "../../../test/kit/test-registration.ts";
import { tool } from "../../tools/tool.ts";
import { code } from "../code.ts";
import { codeMode } from "../code-mode.ts";
import { functionNames } from "./program-tools.ts";
import { toDeclarations } from "./to-declarations.ts";

const anything = { type: "object" } as const;

describe("limits of programs", () => {
  it("declares a recursive schema in bounded length", () => {
    const node = {
      type: "object",
      properties: Object.fromEntries(
        Array.from({ length: 450 }, (_, at) => [`p${at}`, { $ref: "#/$defs/node" }]),
      ),
    };
    const input = { type: "object", properties: { node: { $ref: "#/$defs/node" } }, $defs: { node } };
    expect(toDeclarations(functionNames([testRegistration("f", { input })])).length).toBeLessThan(30_000);
    const many = Array.from({ length: 2_000 }, (_, at) =>
      testRegistration(`f${at}`, { description: "x".repeat(1_000) }),
    );
    expect(toDeclarations(functionNames(many)).length).toBeLessThan(700_000);
  });

  it("makes calls that the program does not await, including queued ones", async () => {
    const { haft, ran } = await codeScene();
    const reply = await runProgram(haft, "for (let n = 0; n < 20; n++) tools.double({ n }); return 1;");
    expect(reply.value).toMatchObject({ value: 1, calls: 20 });
    expect(ran).toHaveLength(20);
  });

  it("bounds the arguments of all waiting calls together", async () => {
    let release = () => {};
    const slow = tool({
      name: "slow",
      description: "waits",
      input: anything,
      run: () => new Promise<null>((resolve) => (release = () => resolve(null))),
    });
    const { haft } = await codeScene({}, [slow]);
    const source =
      'const text = "x".repeat(900_000); const all = []; for (let n = 0; n < 50; n++) all.push(tools.slow({ text })); await Promise.all(all);';
    const reply = await runProgram(haft, source);
    expect(reply.failure).toMatchObject({ code: "sandbox_failed" });
    expect(reply.text).toContain("Await some calls before making more");
    release();
  });

  it("completes parallel programs that call tools which run programs", async () => {
    const inner = tool({
      name: "inner",
      description: "a program",
      input: anything,
      implementation: code({ source: "return 1" }),
    });
    const { haft } = await codeScene({}, [inner as never]);
    const replies = await haft.turn(
      Array.from({ length: 12 }, (_, at) => ({
        id: `c${at}`,
        tool: "run-code",
        input: { source: "return await tools.inner({})" },
      })),
    );
    expect(replies.map(({ value }) => (value as { readonly value: unknown }).value)).toEqual(
      Array(12).fill(1),
    );
  });

  it("hides every tool that runs programs from a program", async () => {
    const { haft } = await codeScene({}, [codeMode({ name: "other" }) as never]);
    expect((await runProgram(haft, "return Object.keys(tools)")).value).toMatchObject({
      value: expect.not.arrayContaining(["other", "run_code"]),
    });
  });

  it("reports an invalid tool pattern", async () => {
    const { haft } = await codeScene();
    const input = { source: "return 1", tools: ["not a pattern!"] };
    const [reply] = await haft.turn([{ id: "c", tool: "run-code", input }]);
    expect(reply?.failure).toMatchObject({ code: "failed", ran: true });
    expect(reply?.text).toContain("not a pattern!");
  });

  it("voids the approval requests of a program that was denied", async () => {
    const { haft, ran } = await codeScene({ ledger: newLedgerFile() });
    const reply = await runProgram(haft, "await tools.pay({ n: 1 })");
    const [program] = await haft.approvals({ status: "waiting", tool: "run-code" });
    expect((await haft.resume(program!.id, { kind: "deny" })).failure).toMatchObject({
      code: "approval_denied",
    });
    await expect(haft.resume(reply.pending!.id, { kind: "allow" })).rejects.toThrow();
    expect(ran).toEqual([]);
  });
});
