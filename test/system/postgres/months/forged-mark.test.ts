import { expect, it } from "vitest";
import {
  createClosing,
  createKeyClaim,
  createOpening,
  runLedgerEffect,
} from "../../../contracts/ledger/ledger-fixtures.ts";
import { monthsScene, timeInMonth } from "../../kit/months-scene.ts";

const { place, threeMonths } = monthsScene(18);
const forge = "INSERT INTO haft_meta VALUES ('months_from', '99999')";

it("a forged months_from mark invalidates no key and hides no row from verify", async () => {
  const { open, query } = await place();
  const ledger = await open();
  await runLedgerEffect(ledger.open(createOpening("1")));
  await runLedgerEffect(ledger.reserve(createKeyClaim("k", "1")));
  await runLedgerEffect(ledger.close(createClosing("1", { ran: true })));
  await query(forge);
  for (const store of [ledger, await open()]) {
    await runLedgerEffect(store.open(createOpening(`again-${store === ledger}`)));
    expect(
      await runLedgerEffect(store.reserve(createKeyClaim("k", `again-${store === ledger}`))),
    ).toMatchObject({
      kind: "known",
      entryId: "1",
    });
  }
  expect(await runLedgerEffect(ledger.verify())).toMatchObject({ ok: true });
  await query("DELETE FROM haft_keys");
  expect(await runLedgerEffect(ledger.verify())).toMatchObject({
    ok: false,
    broken: { why: "its key is missing from haft_keys" },
  });
});

it("pruning does not rely on a forged months_from mark", async () => {
  const { ledger, query } = await threeMonths();
  await query(forge);
  await runLedgerEffect(ledger.prune(timeInMonth(-1)));
  expect(await runLedgerEffect(ledger.entries())).toHaveLength(9);
  expect(await runLedgerEffect(ledger.verify())).toMatchObject({ ok: true });
});
