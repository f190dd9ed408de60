import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { haft } from "../../cli/haft.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** Type stubs of the package and the files that the examples import. */
const stubs = {
  "package.json": '{ "type": "module" }',
  "examples/in-your-loop/story.ts":
    'import type { Haft } from "haft";\nexport interface Place { readonly haft: Haft; readonly folder: string; readonly [more: string]: any }\nexport declare const tell: (url: string, story: Record<string, (place: Place) => unknown>) => Promise<void>;\n',
  "examples/38-chat/model.ts": 'import type { Model } from "haft";\nexport declare const shopModel: Model;\n',
  "examples/16-credentials/service.ts": "export declare const service: any;\n",
  "test/kit/postgres.ts": "export declare const startPostgres: (...all: any[]) => any;\n",
};

const examples = {
  "30-ai-sdk": "main.ts",
  "38-chat": "app.ts",
};

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "haft-migrated-"));
  await symlink(join(root, "node_modules"), join(folder, "node_modules"));
  const { compilerOptions } = JSON.parse(await readFile(join(root, "tsconfig.json"), "utf8"));
  const paths = Object.entries<readonly string[]>(compilerOptions.paths).map(([name, [path = ""]]) => [
    name,
    [join(root, path)],
  ]);
  const options = { ...compilerOptions, paths: Object.fromEntries(paths) };
  await write("tsconfig.json", JSON.stringify({ compilerOptions: options, include: ["examples"] }));
  for (const [file, text] of Object.entries(stubs)) await write(file, text);
  for (const [name, file] of Object.entries(examples)) {
    const before = new URL(`../../cli/migrate/${name}.before.txt`, import.meta.url);
    await write(`examples/${name}/${file}`, await readFile(before, "utf8"));
  }
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const write = async (file: string, text: string): Promise<void> => {
  await mkdir(join(folder, file, ".."), { recursive: true });
  await writeFile(join(folder, file), text);
};

it("examples of 0.2.0 compile after the migration", async () => {
  const { code, out } = await haft(["migrate", "0.3", join(folder, "examples")]);
  expect([code, out]).toEqual([0, expect.stringContaining(`Changed ${Object.keys(examples).length} files`)]);
  const tsc = join(root, "node_modules/typescript/lib/tsc.js");
  const compiled = promisify(execFile)(process.execPath, [tsc, "-p", folder, "--noEmit"], { cwd: folder });
  const errors = await compiled.then(
    () => "",
    (error: { readonly stdout: string }) => error.stdout,
  );
  expect(errors).toBe("");
});
