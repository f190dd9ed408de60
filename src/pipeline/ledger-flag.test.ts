import { expect, it } from "vitest";
import { settleInstructions } from "../types/settlement.ts";
import { ledgerFlag } from "./ledger-flag.ts";

it("names a ledger that is not the default one in hints for operators", () => {
  expect(ledgerFlag(undefined)).toBe("");
  expect(ledgerFlag("sqlite:.haft/ledger.db")).toBe("");
  expect(ledgerFlag("sqlite:./code.db")).toBe(" --ledger sqlite:./code.db");
  expect(ledgerFlag("sqlite:./my shop.db")).toBe(" --ledger 'sqlite:./my shop.db'");
  expect(ledgerFlag("postgres://db/haft")).toBe(' --ledger "$HAFT_LEDGER"');
  expect(settleInstructions("e-1", ledgerFlag("sqlite:./code.db"))).toContain(
    "haft settle e-1 --ledger sqlite:./code.db --did-not",
  );
});
