import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ConfigurationError } from "./errors.ts";
import { missingPackage } from "./missing-package.ts";

const missing = (name: string) =>
  Object.assign(new Error(`Cannot find package '${name}' imported from x`), { code: "ERR_MODULE_NOT_FOUND" });

describe("an optional peer", () => {
  it.each([
    "openai",
    "@anthropic-ai/sdk",
    "ollama",
    "@google/genai",
    "pg",
    "@cedar-policy/cedar-wasm",
  ] as const)("that is not installed says which version of %s to install", async (name) => {
    const manifest = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
    const loading = Promise.reject(missing(name)).catch(missingPackage(name, "The client needs"));
    await expect(loading).rejects.toBeInstanceOf(ConfigurationError);
    await expect(loading).rejects.toThrow(`npm install ${name}@"${manifest.peerDependencies[name]}"`);
  });

  it("that is there but broken fails with its own error", async () => {
    const broken = missing("pg-pool");
    const loading = Promise.reject(broken).catch(missingPackage("pg", "A ledger needs"));
    await expect(loading).rejects.toBe(broken);
  });
});
