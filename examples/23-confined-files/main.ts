// Built-in tools: an agent that may read one folder, write another, and access no other files.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
//#region open
import { agent, Haft } from "haft";
import { calls, says, scriptedModel } from "haft/testing";

//#endregion

const folder = mkdtempSync(join(tmpdir(), "haft-confined-"));
const project = join(folder, "project");
mkdirSync(join(project, "reports"), { recursive: true });
writeFileSync(join(folder, "secret.txt"), "not for anybody");
writeFileSync(join(project, ".env"), "TOKEN=not-for-anybody");
writeFileSync(join(project, "monday.md"), "# Monday\nTODO: call Ada\nAll quiet.\n");
writeFileSync(join(project, "tuesday.md"), "# Tuesday\nTODO: send the report\n");
symlinkSync(join(folder, "secret.txt"), join(project, "shortcut"));

//#region open
const haft = await Haft.open({
  skills: ["file-list", "file-search", "file-read", "file-write"],
  config: { skills: { files: { read: [project], write: [join(project, "reports")] } } },
  principal: { agent: "clerk", allow: ["file-*"] },
  // Files are untrusted content, so writing after reading needs approval, or a rule like this one.
  policy: { rules: [{ effect: "allow", tools: ["file-*"], waivesApproval: true }] },
});
//#endregion

//#region agent
const clerk = agent({
  name: "clerk",
  instructions: "Collect what is to do, and write it into reports/todo.md.",
  tools: ["file-list", "file-search", "file-read", "file-write"],
});
const model = scriptedModel([
  calls(["file-list", { glob: "*.md" }]),
  calls(["file-search", { query: "TODO:", glob: "*.md" }]),
  calls(["file-read", { path: "monday.md", from: 2, to: 2 }]),
  calls(["file-write", { path: "reports/todo.md", content: "- call Ada\n- send the report\n" }]),
  says("There are two things to do."),
]);
const response = await haft.run(clerk, "What is to do?", { model });
assert.deepEqual(
  response.toolsUsed.map(({ name, ok }) => `${name} ${ok}`),
  ["file-list true", "file-search true", "file-read true", "file-write true"],
);
assert.equal(readFileSync(join(project, "reports/todo.md"), "utf8"), "- call Ada\n- send the report\n");
//#endregion

//#region refused
/** The error message of a refused call. */
const refusal = (tool: string, input: object): Promise<string> =>
  haft.call(tool, input).then(
    () => "done",
    (error) => error.message,
  );
assert.match(
  await refusal("file-read", { path: "../secret.txt" }),
  /outside the folders that may be read in/,
);
assert.match(await refusal("file-read", { path: "shortcut" }), /outside/); // a symlink to the outside
assert.match(await refusal("file-read", { path: ".env" }), /is hidden/);
assert.match(
  await refusal("file-write", { path: "monday.md", content: "", mode: "overwrite" }),
  /written in/,
);
assert.match(await refusal("file-write", { path: "reports/todo.md", content: "" }), /already exists/);
//#endregion

//#region unchanged
interface ReadFile {
  readonly content: string;
  readonly hash: string;
}
const { content, hash } = (await haft.call("file-read", { path: "reports/todo.md" })) as ReadFile;
const change = {
  path: "reports/todo.md",
  content: `${content}- rest\n`,
  mode: "overwrite",
  ifUnchanged: hash,
};
await haft.call("file-write", change);
assert.match(await refusal("file-write", change), /has changed/); // changed in between by this program
//#endregion

//#region grants
const web = await Haft.open({
  skills: ["http-get", "web-search"],
  principal: { agent: "reader", allow: ["http-get", "web-search"] },
});
const page = await web.call("http-get", { url: "https://example.com/" }).catch(({ message }) => message);
assert.equal(
  page,
  'No host is granted, so "example.com" cannot be reached. An operator can grant it: config: { skills: { http: { hosts: ["example.com"] } } }.',
);
//#endregion
await web.close();
await haft.close();
rmSync(folder, { recursive: true });
