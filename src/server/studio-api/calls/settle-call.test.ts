import { Haft, tool } from "haft";
import { openLedger } from "haft/ledger";
import type { Call } from "haft/studio";
import { expect, it } from "vitest";
import { studioScene } from "../../../../test/kit/studio-scene.ts";
import { useSqliteFolder } from "../../../../test/kit/use-sqlite-folder.ts";
import { waitFor } from "../../../../test/kit/wait-for.ts";

const { fresh } = useSqliteFolder();

/** A ledger with a call of `refund` that was running when its process ended. */
const afterCrash = async (): Promise<string> => {
  const place = `sqlite:${fresh()}`;
  const ledger = await openLedger(place);
  let isPaid = false;
  const refund = tool({
    name: "refund",
    description: "Pays an order back",
    input: { type: "object", properties: { id: { type: "string" } } },
    run: () => {
      isPaid = true;
      return new Promise(() => {});
    },
  });
  const principal = { agent: "clerk", allow: ["*"] };
  const haft = await Haft.open({ tools: [refund], principal, ledger: ledger.store });
  haft.call("refund", { id: "7" }).catch(() => {});
  await waitFor(() => expect(isPaid).toBe(true));
  await ledger.end();
  return place;
};

it("settles a call with an unknown effect once, under the name of the user", async () => {
  const { haft, get, post } = await studioScene({ ledger: await afterCrash() });
  const [{ entryId } = { entryId: "" }] = await haft.log({ ending: "unknown" });
  expect(await get<Call>(`/calls/${entryId}`, "Call")).toMatchObject({ canSettle: true });
  const body = { tookEffect: true, result: { refunded: "7" }, reason: "in the bank's list" };
  const settled = await post<Call>(`/calls/${entryId}/settle`, body, "Call");
  expect(settled).toMatchObject({
    summary: { ending: "executed" },
    settlement: { tookEffect: true, by: "ada", reason: "in the bank's list" },
  });
  expect(settled).not.toHaveProperty("canSettle");
  expect(await post(`/calls/${entryId}/settle`, { tookEffect: false })).toMatchObject({
    status: 409,
    error: { code: "not_settled" },
  });
});
