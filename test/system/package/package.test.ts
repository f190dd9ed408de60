import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { build } from "esbuild";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { build as viteBuild } from "vite";
import { afterAll, describe, expect, it } from "vitest";
import { checkedEntries } from "../../../scripts/build/checked-entries.ts";
import { entryFile } from "../../../scripts/build/entry-file.ts";
import { installed, root } from "./installed.ts";

const there = installed();
afterAll(() => there[Symbol.dispose]());

const inPackage = (...path: readonly string[]): string => join(there.folder, "node_modules/haft", ...path);
const manifest = JSON.parse(readFileSync(inPackage("package.json"), "utf8"));
const node = (words: readonly string[], cwd = there.folder): string =>
  execFileSync(process.execPath, words, { cwd, encoding: "utf8" });

describe("tarball", () => {
  it("has at most 410 files in 4 MB, and no sources or tests", () => {
    expect(there.files.length).toBeLessThanOrEqual(410);
    expect(statSync(there.tarball).size).toBeLessThanOrEqual(4_000_000);
    expect(there.files.filter((file) => /^src\/|\.test\.|(?<!\.d)\.ts$/.test(file))).toEqual([]);
  });

  it("has every source exactly once, inside its source maps", () => {
    const sources = there.files
      .filter((file) => file.endsWith(".js.map"))
      .flatMap((file) => {
        const map = JSON.parse(readFileSync(inPackage(file), "utf8"));
        expect(map.sourcesContent).toHaveLength(map.sources.length);
        return map.sources as readonly string[];
      })
      .map((source) => source.replace(/^(\.\.\/)+/, ""));
    expect(sources.length).toBeGreaterThan(500);
    expect(sources.filter((source, at) => sources.indexOf(source) !== at)).toEqual([]);
  });

  it("passes publint", async () => {
    const { messages, pkg } = await publint({ pack: { tarball: readTarball() }, strict: true });
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
  });

  it("has types that resolve for ES modules", () => {
    const attw = join(root, "test/system/node_modules/@arethetypeswrong/cli/dist/index.js");
    // It exits with a code other than 0 when it finds a problem.
    expect(node([attw, there.tarball, "--profile", "esm-only"])).toContain("haft/models/openai");
  });

  const entryPoints = Object.keys(manifest.exports).filter((entryPoint) => !entryPoint.endsWith(".json"));
  /** Compiler errors of a program that imports these entry points. */
  const compile = (opened: readonly string[], program: string, checksLibraries: boolean): string => {
    using typed = installed(...Object.keys(manifest.peerDependencies), "@types/node", "undici-types", "zod");
    const imports = opened.map(
      (entryPoint, at) => `import * as entry${at} from "${entryPoint.replace(/^\./, "haft")}";`,
    );
    const used = opened.map((_, at) => `entry${at}`).join(", ");
    writeFileSync(
      join(typed.folder, "typed.mts"),
      `${imports.join("\n")}\nexport const all = [${used}];\n${program}`,
    );
    const compiler = join(root, "node_modules/typescript/bin/tsc");
    const words = ["--noEmit", "--strict", "--target", "es2024", "--module", "nodenext", "--types", "node"];
    return node([compiler, ...words, "--skipLibCheck", String(!checksLibraries), "typed.mts"], typed.folder);
  };
  const isBridge = (entryPoint: string): boolean => entryPoint.startsWith("./integrations/");

  it("has consistent types that infer the input and output of a tool", () => {
    const program = readFileSync(new URL("typed.ts", import.meta.url), "utf8");
    expect(
      compile(
        entryPoints.filter((entryPoint) => !isBridge(entryPoint)),
        program,
        true,
      ),
    ).toBe("");
  });

  it("has integrations whose types infer the input of a tool", () => {
    const program = readFileSync(new URL("typed-bridges.ts", import.meta.url), "utf8");
    expect(compile(entryPoints.filter(isBridge), program, false)).toBe("");
  });

  it("exports the same names from every entry point as its source", async () => {
    for (const target of Object.values<string | { readonly default: string }>(manifest.exports)) {
      if (typeof target === "string") continue;
      const source = `src/${entryFile(target.default.replace(/^\.\/dist\/|\.js$/g, ""))}.ts`;
      const [built, written] = await Promise.all([
        import(join(root, target.default)),
        import(join(root, source)),
      ]);
      expect([target.default, Object.keys(built).sort()]).toEqual([
        target.default,
        Object.keys(written).sort(),
      ]);
    }
  });

  it("exports the same names from the checked entry points, which name a missing framework", async () => {
    for (const [entryPoint, peer] of Object.entries(checkedEntries)) {
      const [checked, plain] = await Promise.all([
        import(join(root, `dist/${entryPoint}.import.js`)),
        import(join(root, `dist/${entryPoint}.js`)),
      ]);
      expect([entryPoint, Object.keys(checked)]).toEqual([entryPoint, Object.keys(plain)]);
      const program = `import("haft/${entryPoint}").catch(({ message }) => console.log(message))`;
      expect(node(["--input-type=module", "--eval", program])).toContain(
        `haft/${entryPoint} needs the package ${peer}, which is not installed. Run: npm install ${peer}@`,
      );
    }
  });

  const readTarball = (): ArrayBuffer => {
    const bytes = readFileSync(there.tarball);
    return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  };
});

describe("packed command line", () => {
  const haft = inPackage(manifest.bin.haft);

  it("starts without loading Effect or another package", () => {
    const main = inPackage("dist/cli/main.js");
    const seen = new Set<string>();
    const packages = new Set<string>();
    const read = (file: string): void => {
      if (seen.has(file)) return;
      seen.add(file);
      for (const [, name = ""] of readFileSync(file, "utf8").matchAll(
        /^(?:import|export) .*?"([^"]+)";$/gm,
      )) {
        if (name.startsWith(".")) read(join(file, "..", name));
        else if (!name.startsWith("node:")) packages.add(name);
      }
    };
    read(main);
    const [, started = ""] = /import\("([^"]*run-process[^"]*)"\)/.exec(readFileSync(main, "utf8")) ?? [];
    read(join(main, "..", started));
    expect([...packages]).toEqual([]);
    expect(seen.size).toBeGreaterThan(2);
  });

  it("prints its version", () => {
    expect(node([haft, "--version"])).toBe(`${manifest.version}\n`);
  });

  it("names the missing package of haft migrate", () => {
    const { status, stderr } = spawnSync(process.execPath, [haft, "migrate", "0.3"], {
      cwd: there.folder,
      encoding: "utf8",
    });
    expect(stderr).toContain(
      "haft migrate needs the package oxc-parser, which is not installed. Run: npm install",
    );
    expect(status).toBe(2);
  });

  it("shares one copy of the code with a configuration that imports haft, so that nested calls are tracked", () => {
    const folder = join(there.folder, "configured");
    mkdirSync(folder);
    cpSync(new URL("nested.config.mjs", import.meta.url), join(folder, "haft.config.mjs"));
    const words = [
      haft,
      "call",
      "outer",
      "{}",
      "--config",
      "haft.config.mjs",
      "--ledger",
      "memory",
      "--json",
    ];
    expect(JSON.parse(node(words, folder))).toMatchObject({ ok: true, taints: ["web"] });
  });
});

/**
 * Covers a pattern for the linear engine, a format, metaschemas, an Effect schema and a missing optional
 * peer.
 */
const expected = {
  pattern: [true, false],
  format: [true, false],
  metaschema: [true, false],
  "effect-schema": [true, false],
  peer: 'A ledger in PostgreSQL needs the package pg, which is not installed. Run: npm install pg@">=8.16.0 <9.0.0"',
};

describe("a program that imports only the root entry point, bundled and run in an empty folder", () => {
  const entry = join(there.folder, "app.mjs");
  cpSync(new URL("app.mjs", import.meta.url), entry);
  // Next to the other folder, so that no parent folder contains node_modules.
  const alone: string[] = [];
  const emptyFolder = (): string => {
    const folder = mkdtempSync(join(tmpdir(), "haft-alone-"));
    alone.push(folder);
    return folder;
  };
  afterAll(() => {
    for (const folder of alone) rmSync(folder, { recursive: true, force: true });
  });

  it.each(["esm", "cjs"] as const)("runs after esbuild bundled it as %s without warnings", async (format) => {
    const outfile = join(emptyFolder(), format === "esm" ? "app.mjs" : "app.cjs");
    const reported = await build({
      absWorkingDir: there.folder,
      entryPoints: [entry],
      bundle: true,
      platform: "node",
      format,
      outfile,
      logLevel: "silent",
    });
    expect([reported.errors, reported.warnings]).toEqual([[], []]);
    expect(JSON.parse(node([outfile], dirname(outfile)))).toEqual(expected);
  });

  it("runs after vite build --ssr with external packages", async () => {
    writeFileSync(join(there.folder, "package.json"), '{ "type": "module" }');
    const vite = join(root, "node_modules/vite/bin/vite.js");
    node([vite, "build", "--ssr", "app.mjs", "--outDir", "vite", "--logLevel", "error"]);
    expect(JSON.parse(node(["vite/app.js"]))).toEqual(expected);
  });

  it("runs after vite build with all packages bundled", async () => {
    const outDir = emptyFolder();
    await viteBuild({
      root: there.folder,
      configFile: false,
      logLevel: "error",
      build: {
        ssr: entry,
        outDir,
        emptyOutDir: true,
        rolldownOptions: { output: { entryFileNames: "app.mjs" } },
      },
      ssr: { noExternal: true },
    });
    expect(JSON.parse(node(["app.mjs"], outDir))).toEqual(expected);
  });
});

describe("a program with sandboxed code", () => {
  const entry = join(there.folder, "sandbox.mjs");
  cpSync(new URL("sandbox.mjs", import.meta.url), entry);

  it("runs the code from the installed package, and ends without close()", () => {
    expect(JSON.parse(node([entry]))).toEqual({ reported: 8 });
  });

  it.each(["esm", "cjs"] as const)(
    "is bundled by esbuild as %s without warnings, and its call says to keep haft external",
    async (format) => {
      const outfile = join(there.folder, "bundled", format === "esm" ? "app.mjs" : "app.cjs");
      const reported = await build({
        absWorkingDir: there.folder,
        entryPoints: [entry],
        bundle: true,
        platform: "node",
        format,
        outfile,
        logLevel: "silent",
      });
      expect([reported.errors, reported.warnings]).toEqual([[], []]);
      expect(JSON.parse(node([outfile])).reported).toContain("Keep the package haft out of the bundle");
    },
  );
});
