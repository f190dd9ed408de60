import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { readServersFile, writeServersFile } from "./servers-file.ts";

let home: string;
let file: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "haft-servers-"));
  file = join(home, "haft.mcp.json");
});
afterEach(() => rmSync(home, { recursive: true }));

it("keeps order and content of the servers and leaves no temporary files", async () => {
  expect(await readServersFile(file)).toEqual({});
  await writeServersFile(file, "b", { command: "b", args: ["-x"] });
  await writeServersFile(file, "a", { url: "https://h/mcp", headers: { Authorization: { secret: "A" } } });
  await writeServersFile(file, "c", { command: "c" });
  await writeServersFile(file, "b", { command: "b2" });
  await writeServersFile(file, "c", undefined);
  expect(readFileSync(file, "utf8")).toBe(`{
  "servers": {
    "b": {
      "command": "b2"
    },
    "a": {
      "url": "https://h/mcp",
      "headers": {
        "Authorization": {
          "secret": "A"
        }
      }
    }
  }
}
`);
  expect(Object.keys(await readServersFile(file))).toEqual(["b", "a"]);
  expect(readdirSync(home)).toEqual(["haft.mcp.json"]);
});

it("replaces the target of a symbolic link and keeps the link", async () => {
  const real = join(home, "real.json");
  writeFileSync(real, '{"$schema":"s","servers":{}}');
  symlinkSync(real, file);
  await writeServersFile(file, "a", { command: "a" });
  expect(JSON.parse(readFileSync(real, "utf8"))).toEqual({ $schema: "s", servers: { a: { command: "a" } } });
});

it.each([
  ["{", "cannot be read"],
  ["[]", "must be an object"],
  ['{"server": {}}', "has an unknown field `server`"],
  ['{"servers": []}', '"servers" must be an object'],
  ['{"servers": {"a": {}}}', 'needs a "command"'],
  ['{"servers": {"a b": {"command": "x"}}}', "The server id"],
  ['{"servers": {"a": {"command": "x", "shell": true}}}', "shell"],
])("rejects %s as a whole and does not overwrite it", async (text, words) => {
  writeFileSync(file, text);
  await expect(readServersFile(file)).rejects.toMatchObject({
    code: "invalid_config",
    message: expect.stringContaining(words),
  });
  await expect(writeServersFile(file, "a", { command: "a" })).rejects.toThrow(file);
  expect(readFileSync(file, "utf8")).toBe(text);
});

it("writes no server that it could not read", async () => {
  await expect(writeServersFile(file, "a", { url: "ftp://h" })).rejects.toMatchObject({
    code: "invalid_config",
  });
  expect(readdirSync(home)).toEqual([]);
});
