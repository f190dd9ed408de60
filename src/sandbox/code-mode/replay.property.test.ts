import fc from "fast-check";
import { expect, it } from "vitest";
import { codeScene, newLedgerFile, runProgram } from "../../../test/kit/code-scene.ts";

/** A program as data: calls in sequence or in parallel, each with a number of its own. */
type Step =
  | { readonly kind: "double" | "pay" }
  | { readonly kind: "sequence" | "parallel"; readonly steps: readonly Step[] };

const step: fc.Arbitrary<Step> = fc.letrec<{ readonly step: Step }>((tie) => ({
  step: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    fc.record({ kind: fc.constantFrom("double" as const, "pay" as const) }),
    fc.record({
      kind: fc.constantFrom("sequence" as const, "parallel" as const),
      steps: fc.array(tie("step"), { minLength: 1, maxLength: 3 }),
    }),
  ),
})).step;

const sourceOf = (program: Step): string => {
  let number = 0;
  const expression = (one: Step): string => {
    if (!("steps" in one)) {
      number += 1;
      return `tools.${one.kind}({ n: ${number} }).then((v) => [${number}, v], (e) => [${number}, e.code])`;
    }
    const parts = one.steps.map(expression);
    if (one.kind === "parallel") return `Promise.all([${parts.join(", ")}])`;
    return `(async () => [${parts.map((part) => `await ${part}`).join(", ")}])()`;
  };
  return `return await ${expression(program)};`;
};

const paysIn = (program: Step): number =>
  "steps" in program
    ? program.steps.reduce((sum, each) => sum + paysIn(each), 0)
    : Number(program.kind === "pay");

const runs = process.env.HAFT_SOAK === undefined ? 25 : 300;

it("returns the same value and makes each call once, in whatever order and process it is resumed", {
  timeout: runs * 20_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(step, fc.infiniteStream(fc.nat(7)), async (program, choices) => {
      const source = sourceOf(program);
      const at = await codeScene({ ledger: "memory", approver: () => ({ kind: "allow" }) });
      const expected = await runProgram(at.haft, source);
      await at.haft.close();

      const ledger = newLedgerFile();
      const ran: string[] = [];
      let scene = await codeScene({ ledger });
      let reply = await runProgram(scene.haft, source);
      for (let round = 0; !reply.ok && round <= paysIn(program); round++) {
        if (choices.next().value % 2 === 0) {
          await scene.haft.close();
          ran.push(...scene.ran);
          scene = await codeScene({ ledger });
        }
        const waiting = await scene.haft.approvals({ status: "waiting", tool: "pay" });
        const chosen = waiting[choices.next().value % waiting.length]!;
        reply = await scene.haft.resume(chosen.id, { kind: "allow" });
      }
      expect(reply.value).toEqual(expected.value);
      ran.push(...scene.ran);
      expect(ran.sort()).toEqual([...at.ran].sort());
      const entries = await scene.haft.log({});
      expect(entries.map(({ ending }) => ending)).toEqual(entries.map(() => "executed"));
      await scene.haft.close();
    }),
    { numRuns: runs },
  );
});
