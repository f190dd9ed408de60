import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { shellQuote } from "../../src/base/text/shell-quote.ts";
import { repeatLedgerFlags, repeatRuntimeFlags } from "../../src/cli/repeat-flags.ts";
import { fixture, haft } from "./haft.ts";

const teller = fixture("teller.ts");

const scratch = async () => {
  const folder = await mkdtemp(join(tmpdir(), "haft next's "));
  return { folder, place: `sqlite:${join(folder, "ledger.db")}` };
};

/** A tool of the same name with another definition. */
const otherPay = async (folder: string): Promise<string> => {
  const file = join(folder, "other.ts");
  const index = JSON.stringify(new URL("../../src/exports/index.ts", import.meta.url).href);
  await writeFile(
    file,
    `import { tool } from ${index};
     export const pay = tool({ name: "pay", description: "Pays more", input: [], risk: "critical", run: () => 1 });`,
  );
  return file;
};

describe("the next steps that a command prints", () => {
  it("repeat options with several values and quote values that begin with a dash", () => {
    expect(repeatRuntimeFlags({ allow: ["a b", "-x"], record: true, json: true, trace: true })).toBe(
      " --record --allow 'a b' --allow=-x",
    );
    expect(shellQuote("it's")).toBe(`'it'\\''s'`);
  });

  it("contain no password", () => {
    expect(repeatLedgerFlags({ ledger: "postgres://ada:secret@db/haft" })).toBe(' --ledger "$HAFT_LEDGER"');
    expect(repeatLedgerFlags({ ledger: "postgres://ada@db/haft" })).toBe(" --ledger postgres://ada@db/haft");
  });
});

describe("haft resume with other options than the run", () => {
  /** A run of the teller whose approval request was answered. */
  const answered = async () => {
    const { place, folder } = await scratch();
    const asked = await haft(["run", teller, "Pay 7", "-t", teller, "--json", "--ledger", place]);
    const { runId, pending } = JSON.parse(asked.out);
    await haft(["approve", pending[0].id, "--ledger", place]);
    const resume = (...words: string[]) => haft(["resume", runId, teller, ...words, "--ledger", place]);
    const status = async () => {
      const { out } = await haft(["approvals", pending[0].id, "--json", "--ledger", place]);
      return JSON.parse(out).status;
    };
    return { place, folder, runId, resume, status };
  };

  it("changes nothing when a tool is hidden, missing or redefined, and resumes with the original tool", async () => {
    const { folder, resume, status } = await answered();
    const other = await otherPay(folder);
    for (const [words, why] of [
      [["-t", teller, "--allow", "balance"], "pay: this caller may not use it"],
      [["-t", fixture("weather.ts")], "pay: the tool does not exist"],
      [["-t", other], "pay: its definition has changed"],
    ] as const) {
      const refused = await resume(...words);
      expect([refused.code, refused.error]).toEqual([1, expect.stringContaining(why)]);
      expect(refused.error).toContain("every answer remains valid");
      expect(await status()).toBe("answered");
    }
    expect(await resume("-t", teller)).toMatchObject({ code: 0, out: expect.stringContaining("paid 7") });
    expect(await status()).toBe("used");
  });

  it("opens the services of the configuration once", async () => {
    const { folder, resume } = await answered();
    const opened = join(folder, "opened.txt");
    const config = join(folder, "haft.config.ts");
    await writeFile(
      config,
      `import { appendFileSync } from "node:fs";
       import * as Effect from ${JSON.stringify(import.meta.resolve("effect/Effect"))};
       import * as Layer from ${JSON.stringify(import.meta.resolve("effect/Layer"))};
       const services = Layer.effectDiscard(Effect.sync(() => appendFileSync(${JSON.stringify(opened)}, "opened\\n")));
       export default { services };`,
    );
    expect((await resume("-t", teller, "--config", config)).code).toBe(0);
    expect(await readFile(opened, "utf8")).toBe("opened\n");
  });

  it("resumes with --force but does not make the call", async () => {
    const { folder, resume, status } = await answered();
    const forced = await resume("-t", await otherPay(folder), "--force");
    expect(forced.out).not.toContain("paid 7");
    expect(await status()).toBe("void");
  });

  it("keeps the answer to a single call too", async () => {
    const { place } = await scratch();
    const asked = await haft(["call", "pay", '{"amount":8}', "-t", teller, "--json", "--ledger", place]);
    const { pending } = JSON.parse(asked.out);
    await haft(["approve", pending.id, "--ledger", place]);
    const resume = (...words: string[]) => haft(["resume", pending.runId, ...words, "--ledger", place]);
    expect(await resume("-t", fixture("weather.ts"))).toMatchObject({ code: 1 });
    expect(await resume("-t", teller)).toMatchObject({ code: 0, out: "paid 8\n" });
  });

  it("reports another caller's run like an unknown run", async () => {
    const { place, resume } = await answered();
    const unknown = await haft(["resume", "run-0000", teller, "--ledger", place]);
    for (const words of [
      ["--as", "other"],
      ["--session", "other"],
    ]) {
      const strange = await resume("-t", teller, ...words);
      expect([strange.code, strange.error]).toEqual([
        unknown.code,
        expect.stringContaining("There is no run"),
      ]);
    }
    expect(unknown.code).toBe(1);
  });

  it("says how to settle a call that may have taken effect", async () => {
    const { folder, place } = await scratch();
    const config = join(folder, "config.json");
    await writeFile(config, JSON.stringify({ policy: { rules: [{ effect: "approve" }] } }));
    const flags = ["-t", fixture("shouting.ts"), "-c", config, "--ledger", place];
    expect((await haft(["call", "shout", "{}", ...flags])).code).toBe(3);
    const [request] = (await haft(["approvals", "--json", "--ledger", place])).out.trim().split("\n");
    const { id, runId, entryId } = JSON.parse(request!);
    expect((await haft(["approve", id, "--ledger", place])).code).toBe(0);
    expect((await haft(["resume", runId, ...flags])).code).toBe(1);
    const again = await haft(["resume", runId, ...flags]);
    expect(again).toMatchObject({ code: 1, error: expect.stringContaining("has no calls left to resume") });
    expect(again.error).toContain(`haft settle ${entryId}`);
  });

  it("reports that a run was cancelled", async () => {
    const { place } = await scratch();
    const words = ["run", teller, "Pay 5", "-t", teller, "--ledger", place];
    const stop = new AbortController();
    const cancelled = haft(words, { answers: ["y"], signal: stop.signal, onAsk: () => stop.abort() });
    expect((await cancelled).code).toBe(130);
    const [run] = (await haft(["runs", "--json", "--ledger", place])).out.trim().split("\n");
    const { runId, status } = JSON.parse(run!);
    expect(status).toBe("cancelled");
    const { code, error } = await haft(["resume", runId, teller, "-t", teller, "--ledger", place]);
    expect([code, error]).toEqual([1, expect.stringContaining(`${runId} was cancelled`)]);
  });
});
