import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fixture, haft } from "./haft.ts";
import { record, seed } from "./seed.ts";

const weather = fixture("weather.ts");
const scratch = () => mkdtemp(join(tmpdir(), "haft-place-"));
const entries = (text: string) =>
  text
    .trim()
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));

describe("the ledger of a command", () => {
  it("comes from the command line before the environment", async () => {
    const folder = await scratch();
    const [one, other] = ["one", "other"].map((name) => `sqlite:${join(folder, name)}.db`) as [
      string,
      string,
    ];
    const env = { HAFT_LEDGER: other };
    const call = ["call", "get_weather", '{"city":"Oslo"}', "-t", weather];
    await haft([...call, "--ledger", one], { env });
    await haft(call, { env });
    await haft(call, { env });
    expect(entries((await haft(["log", "--json", "--ledger", one], { env })).out)).toHaveLength(1);
    expect(entries((await haft(["log", "--json"], { env })).out)).toHaveLength(2);
  });

  it("comes from the command line, then the environment, then the configuration, for every command", async () => {
    const folder = await scratch();
    const [own, other] = ["own", "other"].map((name) => `sqlite:${join(folder, name)}.db`) as [
      string,
      string,
    ];
    const config = join(folder, "haft.config.mjs");
    await writeFile(config, `export default { ledger: ${JSON.stringify(own)} };`);
    const call = ["call", "get_weather", '{"city":"Oslo"}', "-t", weather, "-c", config];
    const count = async (place: string) =>
      entries((await haft(["log", "--json", "--ledger", place])).out).length;
    expect((await haft(call, { env: { HAFT_LEDGER: "" } })).error).toBe("");
    expect(await count(own)).toBe(1);
    const named = await haft([...call, "--ledger", other], { env: { HAFT_LEDGER: own } });
    expect(named.error).toContain("is ignored; --ledger is used");
    const surrounded = await haft(call, { env: { HAFT_LEDGER: other } });
    expect(surrounded.error).toContain("is ignored; HAFT_LEDGER is used");
    expect([await count(own), await count(other)]).toEqual([1, 2]);
    const read = async (words: string[], env: string) =>
      entries((await haft(["log", "--json", "-c", config, ...words], { env: { HAFT_LEDGER: env } })).out)
        .length;
    expect([await read([], ""), await read([], other), await read(["--ledger", own], other)]).toEqual([
      1, 2, 1,
    ]);
  });

  it("may be a store that the configuration made, but not one that keeps nothing", async () => {
    const place = await seed((ledger) => record(ledger, 1));
    const folder = await scratch();
    const config = join(folder, "haft.config.ts");
    const from = (file: string) => JSON.stringify(new URL(`../../src/${file}`, import.meta.url).href);
    await writeFile(
      config,
      `import { redactor } from ${from("base/json/redact.ts")};
       import { openDurableLedger } from ${from("ledger/open-durable-ledger.ts")};
       export default { ledger: await openDurableLedger(${JSON.stringify(place)}, { redactor: redactor({}) }) };`,
    );
    const env = { HAFT_LEDGER: "" };
    expect(entries((await haft(["log", "--json", "-c", config], { env })).out)).toHaveLength(1);
    const bare = join(folder, "bare.config.mjs");
    await writeFile(bare, "export default { ledger: { open() {}, close() {}, entries() {} } };");
    expect(await haft(["log", "-c", bare], { env })).toMatchObject({
      code: 1,
      error: expect.stringContaining("stores no data"),
    });
  });

  it("keeps the approval request of a pending call, which is answered at the terminal or later", async () => {
    const place = `sqlite:${join(await scratch(), "ledger.db")}`;
    const call = ["call", "wipe_disk", "-t", weather, "--ledger", place];
    expect((await haft(call, { answers: ["y"] })).out).toBe("wiped\n");
    const later = await haft(call, { answers: ["l"] });
    expect(later.code).toBe(3);
    expect(later.error).toContain("haft approve");
    expect((await haft(call, { answers: [] })).code).toBe(3);
    const unanswered = await haft(call);
    expect([unanswered.code, unanswered.error]).toEqual([3, expect.stringContaining("haft resume run-")]);
    expect(entries((await haft(["approvals", "--json", "--ledger", place])).out)).toHaveLength(3);
  });
});

describe("haft resume", () => {
  it.each([
    [["resume"], 2, "requires a run"],
    [["resume", "run-0000"], 1, 'There is no run "run-0000"'],
  ])("refuses %j", async (words, code, message) => {
    const place = await seed((ledger) => record(ledger, 1));
    expect(await haft([...words, "--ledger", place])).toMatchObject({
      code,
      error: expect.stringContaining(message),
    });
  });

  it("resumes a run only with its own agent", async () => {
    const place = `sqlite:${join(await scratch(), "ledger.db")}`;
    const asked = await haft(["run", fixture("refund.ts"), "Refund order 7", "--json", "--ledger", place]);
    const { runId, pending } = JSON.parse(asked.out);
    expect(asked.code).toBe(3);
    await haft(["deny", pending[0].id, "--ledger", place]);
    const [without, other] = [
      await haft(["resume", runId, "--ledger", place]),
      await haft(["resume", runId, fixture("guide.ts"), "-m", "offline", "--ledger", place]),
    ];
    expect([without.code, without.error]).toEqual([2, expect.stringContaining('"clerk": pass its file')]);
    expect([other.code, other.error]).toEqual([2, expect.stringContaining('"clerk"')]);
    const denied = await haft(["resume", runId, fixture("refund.ts"), "--json", "--ledger", place]);
    expect(JSON.parse(denied.out)).toMatchObject({ status: "done", toolsUsed: [{ ok: false }] });
  });
});
