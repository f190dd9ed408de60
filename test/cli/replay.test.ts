import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fixture, haft } from "./haft.ts";

const [guide, weather] = [fixture("guide.ts"), fixture("weather.ts")];

/** A run of the guide in its own ledger. */
const recorded = async (...words: string[]) => {
  const folder = await mkdtemp(join(tmpdir(), "haft-replay-"));
  const place = `sqlite:${join(folder, "ledger.db")}`;
  const input = "What is the weather in Oslo?";
  const { out } = await haft(["run", guide, input, "-m", "offline", "--json", "--ledger", place, ...words]);
  const { runId } = JSON.parse(out);
  return { folder, replay: (...more: string[]) => haft(["replay", runId, ...more, "--ledger", place]) };
};

describe("haft replay", () => {
  it("reports no difference when nothing changed, with the agent or only its tools", async () => {
    const { replay } = await recorded("--record");
    for (const words of [[guide], ["--tools", weather]]) {
      const { code, out, error } = await replay(...words);
      expect([code, error]).toEqual([0, "1 same\n"]);
      expect(out).toMatch(/get_weather +same/);
    }
  });

  it("prints a diff of the results with another library and exits with 1", async () => {
    const { folder, replay } = await recorded("--record");
    const library = join(folder, "new.mjs");
    await writeFile(library, "export const get_weather = ({ city }) => ({ city, celsius: 30 });");
    const { code, out } = await replay(guide, "--library", library);
    expect(code).toBe(1);
    expect(out).toMatch(/get_weather +different/);
    expect(out).toMatch(/- +"celsius": 21/);
    expect(out).toMatch(/\+ +"celsius": 30/);
    const json = await replay(guide, "--library", library, "--json");
    expect(JSON.parse(json.out)).toMatchObject({
      calls: [{ status: "different" }],
      summary: { different: 1 },
    });
  });

  it("runs no code with --execute none, and reports refused or missing tools", async () => {
    const { replay } = await recorded("--record");
    const none = await replay("--tools", weather, "--execute", "none");
    expect([none.code, none.error]).toEqual([0, "1 not-run\n"]);
    const refused = await replay("--tools", weather, "--allow", "get_time");
    expect([refused.code, refused.out]).toEqual([1, expect.stringMatching(/get_weather +(refused|gone)/)]);
  });

  it("needs a recorded run", async () => {
    const { replay } = await recorded();
    const { code, error } = await replay(guide);
    expect([code, error]).toEqual([1, expect.stringContaining("haft run --record")]);
    expect((await haft(["replay"])).code).toBe(2);
  });
});
