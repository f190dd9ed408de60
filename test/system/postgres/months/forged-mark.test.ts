import { expect, it } from "vitest";
import { claim, closing, opening, run } from "../../../contracts/ledger/rows.ts";
import { monthsScene, within } from "../../kit/months-scene.ts";

const { place, threeMonths } = monthsScene(18);
const forge = "INSERT INTO haft_meta VALUES ('months_from', '99999')";

it("a mark that all months were pruned, which anybody can write, makes no key void and hides nothing from verify", async () => {
  const { open, query } = await place();
  const ledger = await open();
  await run(ledger.open(opening("1")));
  await run(ledger.reserve(claim("k", "1")));
  await run(ledger.close(closing("1", { ran: true })));
  await query(forge);
  for (const store of [ledger, await open()]) {
    await run(store.open(opening(`again-${store === ledger}`)));
    expect(await run(store.reserve(claim("k", `again-${store === ledger}`)))).toMatchObject({
      kind: "known",
      entryId: "1",
    });
  }
  expect(await run(ledger.verify())).toMatchObject({ ok: true });
  await query("DELETE FROM haft_keys");
  expect(await run(ledger.verify())).toMatchObject({
    ok: false,
    broken: { why: "its key is missing from haft_keys" },
  });
});

it("pruning takes nothing away on the word of such a mark", async () => {
  const { ledger, query } = await threeMonths();
  await query(forge);
  await run(ledger.prune(within(-1)));
  expect(await run(ledger.entries())).toHaveLength(9);
  expect(await run(ledger.verify())).toMatchObject({ ok: true });
});
