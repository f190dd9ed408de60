import { agent, Haft, type Model, tool } from "haft";
import { openLedger } from "haft/ledger";
import { openai } from "haft/models/openai";
import { expect, it } from "vitest";
import { calls, says, scriptedModel } from "../kit/scripted-model.ts";
import { useSqliteFolder } from "../kit/use-sqlite-folder.ts";

const { fresh } = useSqliteFolder();
const principal = { agent: "clerk", allow: ["*"] };

const world = () => {
  const paid: string[] = [];
  const refund = tool({
    name: "refund",
    description: "Refunds an order",
    input: { type: "object", properties: { order: { type: "string" } }, required: ["order"] } as const,
    requiresApproval: true,
    run: ({ order }) => paid.push(order),
  });
  return { paid, refund };
};

it("a resume whose model has no key fails before it uses an approval", async () => {
  const { paid, refund } = world();
  const place = `sqlite:${fresh()}`;
  const open = async () =>
    (await Haft.open({ tools: [refund], principal, ledger: place })) as unknown as Haft;
  const clerk = (model: Model) => agent({ name: "clerk", instructions: "Refund.", tools: ["*"], model });
  const asking = await open();
  const script = scriptedModel([calls(["refund", { order: "7" }]), says("Done.")]);
  const { runId } = await asking.run(clerk(script), "Refund 7");
  await asking.close();
  const ledger = await openLedger(place);
  const [request] = await ledger.approvals();
  await ledger.answer(request!.id, { kind: "allow" });
  const resume = async (model: Model) => {
    await using haft = await open();
    return await haft.run(clerk(model), undefined, { resume: runId });
  };
  await expect(resume(openai("gpt-5", { apiKey: "" }))).rejects.toMatchObject({
    code: "invalid_config",
    message: expect.stringContaining("OPENAI_API_KEY"),
  });
  expect([paid, (await ledger.approvals())[0]?.status]).toEqual([[], "answered"]);
  await ledger.end();
  expect((await resume(scriptedModel([says("Done.")]))).status).toBe("done");
  expect(paid).toEqual(["7"]);
});

it("a model without a key leaves a row that says that nothing ran", async () => {
  await using haft = await Haft.open({ principal });
  const lost = agent({ name: "clerk", instructions: "x", model: openai("gpt-5", { apiKey: "" }), tools: [] });
  await expect(haft.run(lost, "hello")).rejects.toMatchObject({ code: "invalid_config" });
  expect(await haft.log({ tool: "model:openai/gpt-5" })).toMatchObject([
    { code: "invalid_config", ran: false },
  ]);
});
