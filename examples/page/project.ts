// An empty folder with the files of an example and the packages that `npm install` would add.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createOperatorEnvironment } from "../../test/kit/operator-environment.ts";

export interface Said {
  readonly code: number | null;
  readonly out: string;
}

export interface Project {
  readonly folder: string;
  readonly haft: (words: readonly string[]) => Said;
  /** The `--json` output of a command. */
  readonly json: (...words: readonly string[]) => readonly Record<string, string>[];
  readonly leave: () => void;
}

const root = fileURLToPath(new URL("../..", import.meta.url));
/** The commands of a page are those of an operator without a terminal. */
const operator = await createOperatorEnvironment();

export const openProject = (name: string, from: URL, packages: readonly string[] = []): Project => {
  const folder = mkdtempSync(join(tmpdir(), `${name}-`));
  cpSync(fileURLToPath(from), folder, { recursive: true });
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(root, join(folder, "node_modules/haft"));
  for (const one of packages) symlinkSync(join(root, "node_modules", one), join(folder, "node_modules", one));
  const env = { ...process.env, NO_COLOR: "1", HAFT_LEDGER: "", ...operator };
  const main = join(root, "dist/cli/main.js");
  const haft = (words: readonly string[]): Said => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...words], { cwd: folder, env });
    return { code: status, out: `${stdout}${stderr}` };
  };
  return {
    folder,
    haft,
    json: (...words) =>
      haft([...words, "--json"])
        .out.trim()
        .split("\n")
        .flatMap((line) => JSON.parse(line)),
    leave: () => rmSync(folder, { recursive: true, force: true }),
  };
};
