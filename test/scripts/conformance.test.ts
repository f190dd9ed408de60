import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import {
  expectedFailuresFile,
  findUnexpectedResults,
  readExpectedFailures,
} from "../../scripts/conformance/expected-failures.ts";
import { findUnrecordedTools } from "../../scripts/conformance/find-unrecorded-tools.ts";
import { readChecks } from "../../scripts/conformance/read-checks.ts";
import { root } from "../../scripts/conformance/suites.ts";

let folder: string | undefined;

afterEach(() => {
  if (folder !== undefined) rmSync(folder, { recursive: true });
  folder = undefined;
});

const stamp = "2026-11-16T05-50-48-094Z";
const check = (status: string) => ({
  id: status.toLowerCase(),
  status,
  description: "said",
  errorMessage: "why",
});

/** Scenarios with the statuses of their checks, as the referee writes them; without a file if it failed. */
const left = (scenarios: Readonly<Record<string, readonly string[] | undefined>>) => {
  folder = mkdtempSync(join(tmpdir(), "haft-checks-"));
  for (const [scenario, statuses] of Object.entries(scenarios)) {
    const at = join(folder, `${scenario}-${stamp}`);
    mkdirSync(at, { recursive: true });
    if (statuses !== undefined) writeFileSync(join(at, "checks.json"), JSON.stringify(statuses.map(check)));
  }
  return readChecks(folder, "client");
};

it("a scenario passes with a warning or a skipped check, and fails with one failure", () => {
  const verdicts = left({
    "auth/good": ["SUCCESS", "INFO", "WARNING"],
    skipped: ["SKIPPED"],
    bad: ["SUCCESS", "FAILURE"],
  });
  expect(verdicts.get("auth/good")).toMatchObject({ passed: 1, failures: [], warnings: ["warning: why"] });
  expect(verdicts.get("skipped")?.failures).toEqual([]);
  expect(verdicts.get("bad")?.failures).toEqual(["failure: why"]);
});

it("a scenario without a checked result fails", () => {
  const verdicts = left({ silent: [], chatting: ["INFO"], broken: undefined });
  expect([...verdicts.values()].map(({ failures }) => failures)).toEqual(
    Array.from({ length: 3 }, () => ["nothing was checked"]),
  );
});

it("an unexpected failure is reported, and so is an expected failure that passes or does not exist", () => {
  const verdicts = left({ good: ["SUCCESS"], bad: ["FAILURE"], known: ["FAILURE"] });
  expect(findUnexpectedResults(verdicts, { known: "it cannot be otherwise" })).toEqual([
    "bad fails: failure: why",
  ]);
  const stale = {
    bad: "a good reason",
    known: "a good reason",
    good: "a good reason",
    lost: "a good reason",
  };
  expect(findUnexpectedResults(verdicts, stale)).toEqual([
    "good is expected to fail but passes: remove it from the file",
    "lost is expected to fail but does not exist",
  ]);
});

it("an expected failure needs a reason and an existing suite", () => {
  expect(() => readExpectedFailures('{"server-2025":{"ping":""}}')).toThrow(
    "gives no reason for server-2025 ping",
  );
  expect(() => readExpectedFailures('{"server-1999":{}}')).toThrow("has an unknown suite server-1999");
  expect(readExpectedFailures(readFileSync(join(root, expectedFailuresFile), "utf8"))).toBeTypeOf("object");
});

it("a scenario whose tool is not in the ledger is reported", () => {
  const verdicts = left({
    "tools-call-image": ["SUCCESS"],
    "tools-call-audio": ["SUCCESS"],
    ping: ["SUCCESS"],
  });
  expect(findUnrecordedTools(verdicts, new Map([["test_image_content", 1]]))).toEqual([
    "tools-call-audio called test_audio_content, and the ledger has no entry of it",
  ]);
});
