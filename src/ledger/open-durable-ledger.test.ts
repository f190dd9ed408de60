import { expect, it, onTestFinished } from "vitest";
import { redactor } from "../base/json/redact.ts";
import { openDurableLedger } from "./open-durable-ledger.ts";

it("a SQLite ledger on an old Node fails with the version that Haft needs", async () => {
  const { versions } = process;
  const replaceVersions = (value: object): void =>
    void Object.defineProperty(process, "versions", { value, configurable: true, enumerable: true });
  onTestFinished(() => replaceVersions(versions));
  replaceVersions({ ...versions, node: "20.20.2" });
  await expect(openDurableLedger("sqlite::memory:", { redactor: redactor() })).rejects.toMatchObject({
    code: "invalid_config",
    message: "Haft needs Node 22.19 or newer; this is Node 20.20.2.",
  });
});
