import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { example, haft } from "./haft.ts";

const hello = example("hello-world/hello.gram");
const scratch = () => mkdtemp(join(tmpdir(), "haft-ab-"));

describe("haft ab", () => {
  it("compares two libraries, writes a report, and continues from its journal", async () => {
    const folder = await scratch();
    const [a, b, inputs, journal, report] = ["a.mjs", "b.mjs", "inputs.jsonl", "ab.jsonl", "ab.html"].map(
      (name) => join(folder, name),
    ) as [string, string, string, string, string];
    await writeFile(a, "export const sayHello = ({ name }) => 'Hello, ' + name;");
    await writeFile(b, "export const sayHello = () => { throw new Error('no voice'); };");
    await writeFile(
      inputs,
      ["Ada", "Bob", "Cem", "Dan", "Eve", "Fay"]
        .map((name) => JSON.stringify(`Hello, I'm ${name}`))
        .join("\n"),
    );
    const words = ["ab", hello, "--a", a, "--b", b, "-i", inputs, "--journal", journal, "--report", report];
    const first = await haft(words);
    expect(first.code).toBe(0);
    const page = await readFile(report, "utf8");
    expect(page).toContain("<svg");
    for (const library of [a, b]) {
      expect(page).toContain(`<code><bdi>${library.slice(0, 80)}`);
      expect(first.out).toContain(`(${library}): `);
    }
    const kept = await readFile(journal, "utf8");
    const again = await haft([...words, "--json"]);
    expect(JSON.parse(again.out)).toMatchObject({
      kind: "haft-experiment",
      arms: [{ runs: 6 }, { runs: 6 }],
    });
    expect(await readFile(journal, "utf8")).toBe(kept);
  });

  it("refuses a library without the code, and scores replies by the expected text", async () => {
    const folder = await scratch();
    const [a, b, inputs] = ["a.mjs", "b.mjs", "i.jsonl"].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    await writeFile(a, "export const sayHello = ({ name }) => 'Hello, ' + name;");
    await writeFile(b, "export const other = () => 1;");
    await writeFile(
      inputs,
      `${JSON.stringify({ id: "1", input: "Hello, I'm Ada", expect: "Ada" })}\n${JSON.stringify({ id: "2", input: "Hello, I'm Bob", expect: "Cem" })}`,
    );
    const missing = await haft(["ab", hello, "--a", a, "--b", b, "-i", inputs]);
    expect(missing.error).toContain("arm b has no code for sayHello");
    const judged = await haft(["ab", hello, "--a", a, "--b", a, "-i", inputs]);
    expect(judged.out).toContain("1 of 2 right");
  });

  it("names a missing option", async () => {
    const { code, error } = await haft(["ab", hello]);
    expect(code).toBe(2);
    expect(error).toContain("--inputs");
  });
});
