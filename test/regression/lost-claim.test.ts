import * as Effect from "effect/Effect";
import { expect, it } from "vitest";
import { redactor } from "../../src/base/json/redact.ts";
import { agent, Haft, tool } from "../../src/exports/index.ts";
import { memoryLedger } from "../../src/ledger/memory.ts";
import { calls, says, scriptedModel } from "../kit/scripted-model.ts";

it("a process that lost its claim does not end the run", async () => {
  const ledger = memoryLedger({ redactor: redactor() });
  let lose = (): void => {};
  const store = {
    ...ledger,
    runs: {
      ...ledger.runs,
      watch: (_: string, onLost: () => void) => {
        lose = onLost;
        return () => {};
      },
    },
  };
  const work = tool({ name: "work", description: "Works.", input: { type: "object" }, run: () => lose() });
  await using haft = await Haft.open({
    tools: [work],
    ledger: store,
    principal: { agent: "a", allow: ["*"] },
  });
  const model = scriptedModel([calls(["work", {}]), says("done")]);
  const running = haft.run(agent({ name: "a", instructions: "Work.", model, tools: ["work"] }), "x");
  await expect(running).rejects.toMatchObject({ code: "claim_lost" });
  const [run] = await Effect.runPromise(ledger.runs.list());
  expect(run).toMatchObject({ status: "running" });
});
