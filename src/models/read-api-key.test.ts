import { describe, expect, it } from "vitest";
import { ConfigurationError } from "../types/errors.ts";
import { readApiKey } from "./check-client-options.ts";

describe("readApiKey", () => {
  it("prefers options to the environment", () => {
    process.env.HAFT_TEST_KEY = "from-environment";
    expect(readApiKey({}, "HAFT_TEST_KEY", "Test")).toBe("from-environment");
    expect(readApiKey({ apiKey: "from-options" }, "HAFT_TEST_KEY", "Test")).toBe("from-options");
    delete process.env.HAFT_TEST_KEY;
  });

  it("reports the variable to set when the key is missing or blank", () => {
    expect(() => readApiKey({}, "HAFT_TEST_KEY", "Test")).toThrow(ConfigurationError);
    expect(() => readApiKey({ apiKey: " " }, "HAFT_TEST_KEY", "Test")).toThrow("set HAFT_TEST_KEY");
  });
});
