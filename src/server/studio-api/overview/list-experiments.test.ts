import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ExperimentListItem, Page } from "haft/studio";
import { describe, expect, it, onTestFinished } from "vitest";
import { experimentResult, experimentRun } from "../../../../test/kit/experiment-result.ts";
import { studioScene } from "../../../../test/kit/studio-scene.ts";

describe("experiments", () => {
  it("are read from the configured folders, and other files are ignored", async () => {
    const folder = await mkdtemp(join(tmpdir(), "haft-studio-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    await writeFile(
      join(folder, "a.json"),
      JSON.stringify(experimentResult([experimentRun("a", "one"), experimentRun("b", "one")])),
    );
    await writeFile(join(folder, "b.json"), "{");
    const secret = "canary-90cc-do-not-print";
    const odd = experimentResult([experimentRun("a", "one"), experimentRun("b", "one")]);
    await writeFile(join(folder, "d.json"), JSON.stringify({ ...odd, arms: [null] }));
    await writeFile(join(folder, "e.json"), JSON.stringify({ ...odd, verdict: `It said ${secret}.` }));
    await writeFile(join(folder, "c.json"), '{"kind":"other"}');
    const { get, signed } = await studioScene(
      { credentials: { values: { canary: secret } } },
      { experiments: [folder, join(folder, "none")] },
    );
    const { items } = await get<Page<ExperimentListItem>>("/experiments", "ExperimentPage");
    expect(items.map(({ file }) => file).toSorted()).toEqual(["a.json", "e.json"]);
    for (const { id } of items) {
      expect(JSON.stringify(await get(`/experiments/${id}`))).not.toContain(secret);
    }
    expect(JSON.stringify(items)).not.toContain(secret);
    expect(await get(`/experiments/${items[0]!.id}`)).toMatchObject({ kind: "haft-experiment" });
    expect((await signed("/experiments/..%2Fx")).status).toBe(404);
    expect((await signed("/fleet")).status).toBe(404);
  });
});
