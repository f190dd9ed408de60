import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ConfigurationError } from "../words/errors.ts";
import { loadSdk } from "./load-sdk.ts";
import { readKey } from "./read-key.ts";

const missing = (name: string) =>
  Object.assign(new Error(`Cannot find package '${name}' imported from x`), { code: "ERR_MODULE_NOT_FOUND" });

describe("a vendor's SDK", () => {
  it.each(["openai", "@anthropic-ai/sdk", "ollama", "@google/genai"])(
    "that is not installed says which version of %s to install",
    async (name) => {
      const manifest = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
      const loading = loadSdk("The client", name, () => Promise.reject(missing(name)));
      await expect(loading).rejects.toBeInstanceOf(ConfigurationError);
      await expect(loading).rejects.toThrow(`npm install ${name}@"${manifest.peerDependencies[name]}"`);
    },
  );

  it("that is there but broken fails with its own error", async () => {
    const broken = missing("some-dependency-of-it");
    await expect(loadSdk("The client", "openai", () => Promise.reject(broken))).rejects.toBe(broken);
  });

  it("that is there comes as it is", async () => {
    expect(await loadSdk("The client", "openai", async () => 7)).toBe(7);
  });
});

describe("a key", () => {
  it("comes from the options before the environment", () => {
    process.env.HAFT_TEST_KEY = "from-environment";
    expect(readKey({}, "HAFT_TEST_KEY", "Test")).toBe("from-environment");
    expect(readKey({ apiKey: "from-options" }, "HAFT_TEST_KEY", "Test")).toBe("from-options");
    delete process.env.HAFT_TEST_KEY;
  });

  it("that is missing or blank says which variable to set", () => {
    expect(() => readKey({}, "HAFT_TEST_KEY", "Test")).toThrow(ConfigurationError);
    expect(() => readKey({ apiKey: " " }, "HAFT_TEST_KEY", "Test")).toThrow("set HAFT_TEST_KEY");
  });
});
