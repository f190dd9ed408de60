import { describe, expect, it } from "vitest";
import { ConfigurationError } from "../words/errors.ts";
import { readKey } from "./read-key.ts";

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
