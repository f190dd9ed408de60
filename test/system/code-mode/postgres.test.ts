import { expect, it } from "vitest";
import { codeScene, runProgram } from "../../kit/code-scene.ts";
import { usePostgres } from "../kit/use-postgres.ts";

const world = usePostgres();

it("a program in PostgreSQL resumes once when two processes approve its two requests at the same time", async () => {
  const source =
    "const [a, b] = await Promise.all([tools.pay({ n: 1 }), tools.pay({ n: 2 })]); return [a.pay, b.pay, await tools.double({ n: 3 })];";
  for (let round = 0; round < 5; round++) {
    const ledger = await world.freshSchema();
    const first = await codeScene({ ledger });
    await runProgram(first.haft, source);
    const asked = await first.haft.approvals({ status: "waiting", tool: "pay" });
    expect(asked).toHaveLength(2);
    await first.haft.close();
    const others = [await codeScene({ ledger }), await codeScene({ ledger })];
    const replies = await Promise.all(
      others.map(({ haft }, index) => haft.resume(asked[index]!.id, { kind: "allow" })),
    );
    const done = replies.filter(({ ok }) => ok);
    expect(done.map(({ value }) => value)).toMatchObject([{ value: [1, 2, 6] }]);
    expect(others.flatMap(({ ran }) => ran).sort()).toEqual(["double 3", "pay 1", "pay 2"]);
    await Promise.all(others.map(({ haft }) => haft.close()));
  }
});
