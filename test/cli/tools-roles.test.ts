import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { fixture, haft } from "./haft.ts";

const folder = mkdtempSync(join(tmpdir(), "haft-roles-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const index = pathToFileURL(fixture("../../../src/exports/index.ts")).href;
const mail = join(folder, "mail.ts");
writeFileSync(
  mail,
  `import { tool } from ${JSON.stringify(index)};
const text = { type: "string" };
export const tools = [
  tool({
    name: "read_mail",
    description: "Reads mail",
    input: [],
    annotations: { readOnly: true, openWorld: true },
    run: () => "",
  }),
  tool({
    name: "send_mail",
    description: "Sends a mail",
    input: { type: "object", properties: { to: text, body: text, copy_id: text } },
    annotations: { sink: true },
    roles: { to: "target" },
    run: () => "",
  }),
  tool({
    name: "passport",
    description: "Reads the passport number",
    input: [],
    annotations: { readOnly: true, private: true },
    run: () => "",
  }),
];`,
);

describe("haft tools --roles", () => {
  it("prints sources, sinks, and declared and inferred roles", async () => {
    const { code, out, error } = await haft(["tools", "-t", mail, "--roles"]);
    const lines = out.trimEnd().split("\n");
    expect(lines[0]).toMatch(/^NAME +IS +ROLES$/);
    expect(lines[1]).toMatch(/^passport +private$/);
    expect(lines[2]).toMatch(/^read_mail +source, sink with an address$/);
    expect(lines[3]).toMatch(/^send_mail +sink +to: target, body: content\?, copy_id: id\?$/);
    expect(lines[4]).toContain("? inferred from name and format.");
    expect([code, error]).toEqual([0, ""]);
  });

  it("prints one JSON object per tool", async () => {
    const { out } = await haft(["tools", "-t", mail, "--roles", "--json"]);
    const [, , send] = out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(send).toEqual({
      tool: "send_mail",
      source: false,
      sink: true,
      private: false,
      roles: {
        to: { role: "target", from: "declared" },
        body: { role: "content", from: "inferred" },
        copy_id: { role: "id", from: "inferred" },
      },
    });
  });

  it("is refused with --search", async () => {
    const { code, error } = await haft(["tools", "-t", mail, "--roles", "--search", "mail"]);
    expect([code, error]).toEqual([2, expect.stringContaining("--search and --roles cannot be combined")]);
  });
});
