import type { AnswerResult } from "../../../../src/server/studio-api/schemas/approvals.ts";
import type { LockReview } from "../../../../src/server/studio-api/schemas/servers.ts";
import { night, type Scene } from "./scene.ts";
import { signedIn } from "./signed-in.ts";

/**
 * Fills the ledger by real calls and runs with everything the pages show. Three approval requests stay
 * pending.
 */
export const fillScene = async (scene: Scene) => {
  const { haft, desk, changeServer } = scene;
  const grace = await signedIn(scene, "grace");
  await lockThenChange(grace, changeServer);

  for (const id of ["1", "2", "3"]) await haft.call("find_order", { id });
  await haft.as(night).call("find_order", { id: "4" });
  await haft.call("check_stock", { thing: "lamp" }).catch(() => {});
  await haft.call("pay_supplier", { supplier: "acme", amount: 5_000 }).catch(() => {});
  await haft.call("pay_supplier", { supplier: "acme", amount: 5 });
  // Arguments that must be repaired, and some that cannot be.
  await haft.turn([{ id: "r-1", tool: "find_order", input: "{id: '5',}" }]);
  await haft.turn([{ id: "r-2", tool: "find_order", input: "{}" }]);

  const compared = await haft.run(desk, "Compare orders 7 and 8");
  const handed = await haft.run(desk, "I want my money");
  const priced = await haft.run(desk, "What is the price of a lamp?");

  const refund = async (order: string, amount: number, as = haft): Promise<string> => {
    const input = { order, amount, reason: "damaged", customer: { name: "Bob", notify: true } };
    const [reply] = await as.turn([{ id: `refund-${order}`, tool: "refund", input }]);
    return reply!.pending!.id;
  };
  const earlier = await refund("40", 4);
  await grace.post<AnswerResult>(`/approvals/${earlier}/answer`, { decision: "allow" });
  const denied = await refund("41", 400);
  await grace.post<AnswerResult>(`/approvals/${denied}/answer`, { decision: "deny", reason: "too much" });

  const tainted = await haft.run(desk, "Answer the mail of bob");
  const waiting = [await refund("50", 12.5), await refund("51", 30, haft.as(night))];
  return {
    runs: { compared: compared.runId, handed: handed.runId, priced: priced.runId, tainted: tainted.runId },
    waiting: { clerk: waiting[0]!, night: waiting[1]!, mail: tainted.pending[0]!.id },
  };
};

export type Filled = Awaited<ReturnType<typeof fillScene>>;

/** Writes the lock for the first tools of the server, and then changes the tools. */
const lockThenChange = async (
  { get, post }: Awaited<ReturnType<typeof signedIn>>,
  change: () => void,
): Promise<void> => {
  const { hash } = await get<LockReview>("/servers/weather/review");
  await post("/servers/weather/review/approve", { hash });
  change();
  await post("/servers/weather/reconnect");
};
