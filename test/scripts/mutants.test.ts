import { globSync } from "node:fs";
import { expect, it, onTestFinished, vi } from "vitest";
import { toMutantModuleResult } from "../../scripts/mutants/module-result.ts";
import { mutatedModuleNamed, mutatedModules } from "../../scripts/mutants/mutated-modules.ts";
import { drawSample, type Mutant } from "../../scripts/mutants/sample.ts";

const mutants = Array.from({ length: 200 }, (_, line): Mutant => {
  const location = { start: { line, column: 0 }, end: { line, column: 9 } };
  const fileName = `/here/src/policy/decide-case.ts`;
  return { id: String(line), fileName, mutatorName: "BooleanLiteral", replacement: "false", location };
});

it("the same source gives the same sample, whatever its location and the order of its mutants", () => {
  const drawn = drawSample(mutants, 20, "/here");
  expect(drawn.size).toBe(20);
  const moved = mutants.map((mutant) => ({
    ...mutant,
    fileName: mutant.fileName.replace("/here", "/there"),
  }));
  expect([...drawSample(moved.toReversed(), 20, "/there")]).toEqual([...drawn]);
});

it("a larger sample contains the smaller one, and a sample is limited to all mutants", () => {
  const [small, large] = [drawSample(mutants, 20, "/here"), drawSample(mutants, 40, "/here")];
  expect([...large].slice(0, 20)).toEqual([...small]);
  expect(drawSample(mutants, 1_000, "/here").size).toBe(mutants.length);
});

it("the score is the share of valid mutants that were killed or timed out", () => {
  const fileName = `${process.cwd()}/scripts/mutants/sample.ts`;
  const of = (status: string, times: number) =>
    mutants.slice(1, times + 1).map((mutant) => ({ ...mutant, fileName, status }) as never);
  const tested = [
    of("Killed", 15),
    of("Timeout", 2),
    of("Survived", 2),
    of("NoCoverage", 1),
    of("Ignored", 30),
  ];
  const { survivors, ...counts } = toMutantModuleResult("policy", tested.flat(), 61);
  expect(counts).toEqual({
    module: "policy",
    mutants: 20,
    killed: 15,
    timeout: 2,
    survived: 2,
    noCoverage: 1,
    score: 85,
    seconds: 61,
  });
  expect(survivors.map(({ covered }) => covered)).toEqual([true, false, true]);
});

it("the samples have 1,500 mutants in total, and an unknown module is refused by name", () => {
  expect(mutatedModules.reduce((sum, { sample = 0 }) => sum + sample, 0)).toBe(1_500);
  expect(() => mutatedModuleNamed("cellar")).toThrow(
    'Unknown module "cellar". The modules are call, policy, layers, agent, experiment, ledger.',
  );
});

it("every list of tests matches files", () => {
  const missing = mutatedModules
    .flatMap(({ tests }) => tests.flatMap(expandBraces))
    .filter((glob) => globSync(glob).length === 0);
  expect(missing).toEqual([]);
});

const expandBraces = (glob: string): readonly string[] => {
  const names = /\{([^}]*)\}/.exec(glob);
  return names === null ? [glob] : names[1]!.split(",").map((name) => glob.replace(names[0], name));
};

it("a module is tested with its own tests only, without projects", async () => {
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.stubEnv("HAFT_MUTANTS_MODULE", "experiment");
  const { default: config } = await import("../../scripts/mutants/vitest.config.ts");
  expect(config.test.include).toEqual(mutatedModuleNamed("experiment").tests);
  expect(config.test.projects).toBeUndefined();
});
