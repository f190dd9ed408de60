import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newOperatorSecret } from "../../src/cli/trust/require-operator.ts";
import { openTrustStore } from "../../src/cli/trust/trust-store.ts";

/** Variables with which a process without a terminal trusts its folder and acts as the operator. */
export const createOperatorEnvironment = async (): Promise<Readonly<Record<string, string>>> => {
  const directory = mkdtempSync(join(tmpdir(), "haft-operator-"));
  process.once("exit", () => rmSync(directory, { recursive: true, force: true }));
  const { secret, kept } = newOperatorSecret(0);
  await openTrustStore(directory).update((entries) => ({ ...entries, operator: kept }));
  return { HAFT_TRUST: "1", HAFT_CONFIG_DIR: directory, HAFT_OPERATOR_SECRET: secret };
};
