import { describe, expect, it } from "vitest";
import { codeScene, newLedgerFile, runProgram } from "../../test/kit/code-scene.ts";
import { agent } from "../agent/agent.ts";
import { calls, says, scriptedModel } from "../testing/scripted-model.ts";
import { tool } from "../tools/tool.ts";

describe("program that calls tools", () => {
  it("makes each call through the pipeline as a child of its entry", async () => {
    const { haft, ran } = await codeScene({ ledger: newLedgerFile() });
    const answer = await haft.call("run-code", {
      source: "const all = await Promise.all([1, 2, 3].map((n) => tools.double({ n }))); return all;",
    });
    expect(answer).toEqual({ value: [2, 4, 6], logs: [], calls: 3 });
    expect(ran).toEqual(["double 1", "double 2", "double 3"]);
    const entries = await haft.log({});
    const program = entries.find((entry) => entry.tool === "run-code")!;
    const calls = entries.filter(({ parentId }) => parentId === program.entryId);
    expect(calls.map(({ tool, ending }) => `${tool} ${ending}`)).toEqual(Array(3).fill("double executed"));
  });

  it("receives an error with the code of a refused call", async () => {
    const { haft, ran } = await codeScene();
    const answer = await haft.call("run-code", {
      source: 'try { await tools.double({ n: "two" }) } catch (error) { return error.code }',
    });
    expect(answer).toMatchObject({ value: "invalid_input" });
    expect(ran).toEqual([]);
  });

  it("sees only tools that its caller may see, without its own", async () => {
    const { haft } = await codeScene({ principal: { agent: "tester", allow: ["run-code", "double"] } });
    const answer = await haft.call("run-code", { source: "return Object.keys(tools).sort()" });
    expect(answer).toMatchObject({ value: ["declarations", "double"] });
  });

  it("can read declarations of its functions", async () => {
    const { haft } = await codeScene();
    const answer = (await haft.call("run-code", { source: "return await tools.declarations()" })) as {
      value: string;
    };
    expect(answer.value).toContain("double(input: { n: number }): Promise<unknown>;");
  });
});

describe("program with a call that needs approval", () => {
  it("becomes pending with the approval request of the call, and resumes after the answer", async () => {
    const { haft, ran } = await codeScene({ ledger: newLedgerFile() });
    const reply = await runProgram(
      haft,
      "const a = await tools.double({ n: 4 }); const b = await tools.pay({ n: a }); return [a, b.pay, await tools.double({ n: b.pay })];",
    );
    expect(reply.pending).toMatchObject({ tool: "pay", input: { n: 8 } });
    const after = await haft.resume(reply.pending!.id, { kind: "allow" });
    expect(after).toMatchObject({ ok: true, tool: "run-code", value: { value: [8, 8, 16], calls: 3 } });
    expect(ran).toEqual(["double 4", "pay 8", "double 8"]);
  });

  it("receives a denial as an error and can continue", async () => {
    const { haft, ran } = await codeScene({ ledger: newLedgerFile() });
    const reply = await runProgram(
      haft,
      "try { return await tools.pay({ n: 1 }) } catch (e) { return e.code }",
    );
    const after = await haft.resume(reply.pending!.id, { kind: "deny" });
    expect(after).toMatchObject({ ok: true, value: { value: "approval_denied" } });
    expect(ran).toEqual([]);
  });

  it("resumes in another process without repeating finished calls", async () => {
    const ledger = newLedgerFile();
    const first = await codeScene({ ledger });
    const reply = await runProgram(
      first.haft,
      "const all = await Promise.all([1, 2, 3].map((n) => tools.double({ n }))); await tools.pay({ n: 1 }); await tools.pay({ n: 2 }); return all;",
    );
    await first.haft.close();
    const second = await codeScene({ ledger });
    const again = await second.haft.resume(reply.pending!.id, { kind: "allow" });
    expect(again.pending).toMatchObject({ tool: "pay", input: { n: 2 } });
    await second.haft.close();
    const third = await codeScene({ ledger });
    const after = await third.haft.resume(again.pending!.id, { kind: "allow" });
    expect(after).toMatchObject({ ok: true, value: { value: [2, 4, 6], calls: 5 } });
    expect(first.ran).toEqual(["double 1", "double 2", "double 3"]);
    expect(second.ran).toEqual(["pay 1"]);
    expect(third.ran).toEqual(["pay 2"]);
  });

  it("resumes once when two processes answer two of its requests at the same time", async () => {
    for (let round = 0; round < 5; round++) {
      const ledger = newLedgerFile();
      const first = await codeScene({ ledger });
      const source =
        "const [a, b] = await Promise.all([tools.pay({ n: 1 }), tools.pay({ n: 2 })]); return [a.pay, b.pay, await tools.double({ n: 3 })];";
      await runProgram(first.haft, source);
      const asked = (await first.haft.approvals({ status: "waiting", tool: "pay" })).map(({ id }) => id);
      expect(asked).toHaveLength(2);
      const others = [await codeScene({ ledger }), await codeScene({ ledger })];
      const replies = await Promise.all(
        others.map(({ haft }, index) => haft.resume(asked[index]!, { kind: "allow" })),
      );
      expect(replies.filter(({ ok }) => ok)).toHaveLength(1);
      expect(replies.find(({ ok }) => ok)?.value).toMatchObject({ value: [1, 2, 6] });
      const ran = [first, ...others].flatMap((each) => each.ran);
      expect(ran.sort()).toEqual(["double 3", "pay 1", "pay 2"]);
    }
  });

  it("continues when a request is answered before the program is pending", async () => {
    const ledger = newLedgerFile();
    const { haft, ran } = await codeScene({ ledger });
    const other = await codeScene({ ledger });
    let answered: Promise<unknown> | undefined;
    haft.on("tools.pending", ({ approval }) => {
      if (approval.tool === "pay") answered ??= other.haft.resume(approval.id, { kind: "allow" });
    });
    const reply = await runProgram(
      haft,
      "const slow = tools.double({ n: 1 }); const paid = await tools.pay({ n: 5 }); return [await slow, paid.pay];",
    );
    await answered;
    const all = [...ran, ...other.ran].sort();
    expect(all).toEqual(["double 1", "pay 5"]);
    const [entry] = await haft.log({ tool: "run-code" });
    expect(entry).toMatchObject({ ending: "executed" });
    expect(reply.ok || (await haft.log({ tool: "run-code" }))[0]!.ending === "executed").toBe(true);
  });

  it("keeps the taints of earlier calls when it is resumed", async () => {
    const ledger = newLedgerFile();
    const first = await codeScene({ ledger });
    const reply = await runProgram(
      first.haft,
      'const page = await tools.read_web({ n: 1 }); await tools.pay({ n: 2 }); return page["read-web"];',
    );
    const second = await codeScene({ ledger });
    const after = await second.haft.resume(reply.pending!.id, { kind: "allow" });
    expect(after).toMatchObject({ ok: true, taints: ["read-web"] });
  });

  it("fails when it does not repeat its earlier calls", async () => {
    const ledger = newLedgerFile();
    const first = await codeScene({ ledger });
    const source = "await tools.double({ n: Object.keys(tools).length }); await tools.pay({ n: 1 });";
    const reply = await runProgram(first.haft, source);
    await first.haft.close();
    const more = tool({ name: "more", description: "one more", input: { type: "object" }, run: () => 1 });
    const second = await codeScene({ ledger }, [more]);
    const after = await second.haft.resume(reply.pending!.id, { kind: "allow" });
    expect(after.failure).toMatchObject({ code: "sandbox_failed" });
    expect(after.text).toContain('call 1 is now a call of "double" with other arguments');
    expect(second.ran).toEqual([]);
  });

  it("starts no further call when one of its calls has changed", async () => {
    const ledger = newLedgerFile();
    const first = await codeScene({ ledger });
    const source = "await Promise.all([tools.pay({ n: Object.keys(tools).length }), tools.pay({ n: 100 })]);";
    await runProgram(first.haft, source);
    const asked = await first.haft.approvals({ status: "waiting", tool: "pay" });
    await first.haft.close();
    const more = tool({ name: "more", description: "one more", input: { type: "object" }, run: () => 1 });
    const second = await codeScene({ ledger }, [more]);
    const same = asked.find(({ input }) => (input as { readonly n: number }).n === 100)!;
    const after = await second.haft.resume(same.id, { kind: "allow" });
    expect(after.failure).toMatchObject({ code: "sandbox_failed" });
    expect(second.ran).toEqual([]);
  });

  it("receives approval_required when the ledger is in memory", async () => {
    const { haft } = await codeScene({ ledger: "memory" });
    const reply = await runProgram(
      haft,
      "try { await tools.pay({ n: 1 }) } catch (error) { return error.code }",
    );
    expect(reply.value).toMatchObject({ value: "approval_required" });
  });

  it("has one entry in its run, with an attempt for each time it was resumed", async () => {
    const { haft } = await codeScene({
      ledger: newLedgerFile(),
    });
    const reply = await runProgram(haft, "await tools.pay({ n: 1 }); return 1;");
    await haft.resume(reply.pending!.id, { kind: "allow" });
    const entries = await haft.log({});
    expect(entries.map(({ tool, ending }) => `${tool} ${ending}`)).toEqual([
      "run-code executed",
      "pay executed",
    ]);
    expect(entries[0]!.attempts?.map(({ number, ending }) => `${number} ${ending}`)).toEqual([
      "1 suspended",
      "2 ended",
    ]);
  });

  it("belongs to the run of its agent and resumes with it in another process", async () => {
    const ledger = newLedgerFile();
    const first = await codeScene({ ledger });
    const source = "const a = await tools.double({ n: 3 }); return (await tools.pay({ n: a })).pay;";
    const analyst = (lines: Parameters<typeof scriptedModel>[0]) =>
      agent({ name: "analyst", instructions: "compute", tools: ["*"], model: scriptedModel(lines) });
    const response = await first.haft.run(analyst([calls(["run-code", { source }])]), "go");
    expect(response).toMatchObject({ status: "pending", pending: [{ tool: "pay", input: { n: 6 } }] });
    const kept = await first.haft.resume(response.pending![0]!.id, { kind: "allow" });
    expect(kept.text).toContain("when its run");
    await first.haft.close();
    const second = await codeScene({ ledger });
    const received: unknown[] = [];
    const last = analyst([
      ({ messages }) => {
        received.push(messages.at(-1));
        return says("done");
      },
    ]);
    const after = await second.haft.run(last, undefined, { resume: response.runId });
    expect(after).toMatchObject({ status: "done", content: "done" });
    expect(received).toMatchObject([{ role: "tool", content: '{"value":6,"logs":[],"calls":2}' }]);
    expect([first.ran, second.ran]).toEqual([["double 3"], ["pay 6"]]);
  });
});

describe("time limit of a program", () => {
  it("stops the program and the call that it is making", async () => {
    const hang = tool({
      name: "hang",
      description: "never answers",
      input: { type: "object", properties: {} },
      run: (_, { signal }) =>
        new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("stopped")))),
    });
    const { haft } = await codeScene({ ledger: newLedgerFile() }, [hang]);
    await runProgram(haft, "return 1");
    const source = "await tools.hang({})";
    const [reply] = await haft.turn([
      { id: "c", tool: "run-code", input: { source, limits: { wallMs: 2_000 } } },
    ]);
    expect(reply?.failure).toMatchObject({ code: "timed_out", timeoutMs: 2_000 });
    expect((await haft.log({ tool: "hang" })).map(({ code }) => code)).toEqual(["cancelled"]);
  });
});
