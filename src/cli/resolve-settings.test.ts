import { describe, expect, it } from "vitest";
import { resolveSettings } from "./resolve-settings.ts";

describe("settings of a command", () => {
  it("prefer the environment to the configuration for each setting", async () => {
    const config = { execution: { defaultTimeoutMs: 1_000, maxTimeoutMs: 9_000 } };
    const env = { HAFT_EXECUTION_DEFAULT_TIMEOUT_MS: "5000", HAFT_LEDGER_KEEP: "7" };
    expect(await resolveSettings(config, {}, { env })).toEqual({
      execution: { defaultTimeoutMs: 5_000, maxTimeoutMs: 9_000 },
      ledger: { keep: 7 },
    });
  });

  it("prefer options to the environment", async () => {
    const env = { HAFT_HYDRATION_REPAIR: "model", HAFT_LEDGER_KEEP_PAYLOADS: "false" };
    expect(await resolveSettings(undefined, { repair: "off", record: true }, { env })).toEqual({
      hydration: { repair: "off" },
      ledger: { keepPayloads: true },
    });
  });

  it("are the configuration when nothing else is set", async () => {
    expect(await resolveSettings("./settings.json", {}, { env: { HAFT_LEDGER: "memory" } })).toBe(
      "./settings.json",
    );
    expect(await resolveSettings(undefined, {}, { env: {} })).toBeUndefined();
  });

  it("are refused for an invalid variable, and the error names the environment", async () => {
    const env = { HAFT_EXECUTION_DEFAULT_TIMEOUT_MS: "soon" };
    await expect(resolveSettings(undefined, {}, { env })).rejects.toThrow(
      /HAFT_ variables of the environment.*defaultTimeoutMs/,
    );
  });
});
