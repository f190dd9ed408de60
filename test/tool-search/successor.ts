import { agent, Haft, type Model, tool } from "../../src/index.ts";

/** Goes on with a run of another process, and writes what its model is shown. */
const [place = "", runId = ""] = process.argv.slice(2);
const names = ["close_account", "pay_invoice", "send_email", "ship_parcel"];
const shown: (readonly string[])[] = [];
const model: Model = {
  id: "successor",
  generate: async ({ tools }) => {
    shown.push(tools.map(({ wireName }) => wireName));
    return { text: "Done.", calls: [], usage: { inputTokens: 1, outputTokens: 1 }, finish: "stop" };
  },
  stream: () => {
    throw new Error("nobody streams");
  },
};
const haft = await Haft.open({
  tools: names.map((name) =>
    tool({
      name,
      description: `Can ${name}`,
      input: [],
      requiresApproval: name === "pay_invoice",
      run: () => name,
    }),
  ),
  principal: { agent: "desk", allow: ["*"] },
  ledger: place,
});
const desk = agent({
  name: "desk",
  instructions: "Help.",
  model,
  tools: ["*"],
  toolSearch: { always: ["ship_parcel"] },
});
const [waiting] = await haft.approvals({ runId });
await haft.resume(waiting!.id, { kind: "allow" });
const { status } = await haft.run(desk, undefined, { resume: runId });
await haft.close();
process.stdout.write(JSON.stringify({ status, shown }));
