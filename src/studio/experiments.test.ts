import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ExperimentLine, Page } from "haft/studio";
import { describe, expect, it, onTestFinished } from "vitest";
import { concluded, record } from "../../test/kit/experiment-result.ts";
import { studioScene } from "../../test/kit/studio-scene.ts";

describe("experiments", () => {
  it("results of experiments are read from the folders that are named, and whatever else lies there is passed over", async () => {
    const folder = await mkdtemp(join(tmpdir(), "haft-studio-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    await writeFile(
      join(folder, "a.json"),
      JSON.stringify(concluded([record("a", "one"), record("b", "one")])),
    );
    await writeFile(join(folder, "b.json"), "{");
    await writeFile(join(folder, "c.json"), '{"kind":"other"}');
    const { get, signed } = await studioScene({}, { experiments: [folder, join(folder, "none")] });
    const { items } = await get<Page<ExperimentLine>>("/experiments", "ExperimentPage");
    expect(items.map(({ file }) => file)).toEqual(["a.json"]);
    expect(await get(`/experiments/${items[0]!.id}`)).toMatchObject({ kind: "haft-experiment" });
    expect((await signed("/experiments/..%2Fx")).status).toBe(404);
    expect((await signed("/fleet")).status).toBe(404);
  });
});
