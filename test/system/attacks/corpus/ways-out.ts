import { attacks } from "../attack.ts";

/** Works where `require` and static imports do not. */
const builtin = (name: string) =>
  `(globalThis.process?.getBuiltinModule?.("node:${name}") ?? (await import("node:${name}")))`;
const read = (path: string) => `${builtin("fs")}.readFileSync(${path}, "utf8")`;

export const waysOut = attacks(
  "modules, files, processes, signals",
  { on: "node" },
  {
    "process.env": { harm: "secret", source: `return process.env[input.variable];` },
    require: { harm: "secret", source: `return require("node:fs").readFileSync(input.secretFile, "utf8");` },
    "import of a built-in module": {
      harm: "secret",
      source: `return (await import("node:fs")).readFileSync(input.secretFile, "utf8");`,
    },
    "process.getBuiltinModule": {
      harm: "secret",
      source: `return process.getBuiltinModule("fs").readFileSync(input.secretFile, "utf8");`,
    },
    createRequire: {
      harm: "secret",
      source: `return (await import("node:module")).createRequire("/")("node:fs").readFileSync(input.secretFile, "utf8");`,
    },
    "import of a data URL that imports": {
      harm: "secret",
      source: `
      const code = 'import fs from "node:fs"; export default fs.readFileSync(' + JSON.stringify(input.secretFile) + ', "utf8")';
      return (await import("data:text/javascript," + encodeURIComponent(code))).default;`,
    },
    "import of the secret as a module": {
      harm: "secret",
      source: `return (await import(input.secretFile, { with: { type: "json" } })).default;`,
    },
    "import inside of eval": {
      harm: "secret",
      source: `return (await (0, eval)('import("node:fs")')).readFileSync(input.secretFile, "utf8");`,
    },
    "a function made of text": {
      harm: "secret",
      source: `return new Function("return process")().env[input.variable];`,
    },
    "process.loadEnvFile": {
      harm: "secret",
      source: `process.loadEnvFile(input.secretLines); return process.env.HAFT_STOLEN;`,
    },
    "node:vm in this very context": {
      harm: "secret",
      source: `return ${builtin("vm")}.runInThisContext("process").env[input.variable];`,
    },
    "an inspector of itself": {
      harm: "secret",
      source: `
      const { Session } = ${builtin("inspector")};
      const session = new Session();
      session.connect();
      return await new Promise((resolve) => session.post("Runtime.evaluate",
        { expression: "process.env[" + JSON.stringify(input.variable) + "]" },
        (error, answer) => resolve(error ?? answer.result.value)));`,
    },
    "a worker of its own": {
      harm: "secret",
      source: `
      const { Worker } = ${builtin("worker_threads")};
      const code = 'require("node:worker_threads").parentPort.postMessage(require("node:fs").readFileSync(' + JSON.stringify(input.secretFile) + ', "utf8"))';
      return await new Promise((resolve, reject) => new Worker(code, { eval: true }).on("message", resolve).on("error", reject));`,
    },
    "another program": {
      harm: "secret",
      source: `return String(${builtin("child_process")}.execFileSync("/bin/cat", [input.secretFile]));`,
    },
    "a shell": {
      harm: "write",
      source: `${builtin("child_process")}.execSync("echo x > " + input.writeFile); return 1;`,
    },
    "the binding behind child_process": {
      harm: "secret",
      source: `
      const answer = process.binding("spawn_sync").spawn({
        file: "/bin/cat", args: ["cat", input.secretFile], envPairs: [],
        stdio: [{ type: "pipe", readable: true, writable: false }, { type: "pipe", readable: false, writable: true }],
      });
      return String.fromCharCode(...answer.output[1]);`,
    },
    "a process that outlives it": {
      harm: "write",
      source: `
      ${builtin("child_process")}.spawn("/bin/sh", ["-c", "sleep 0.3; echo x > " + input.writeFile], { detached: true, stdio: "ignore" }).unref();
      return 1;`,
    },
    "writing a file": {
      harm: "write",
      source: `${builtin("fs")}.writeFileSync(input.writeFile, "x"); return 1;`,
    },
    "a database": {
      harm: "write",
      source: `
      const { DatabaseSync } = ${builtin("sqlite")};
      new DatabaseSync(input.writeFile).exec("create table t (a)");
      return 1;`,
    },
    "a report of the process": {
      harm: "write",
      source: `process.report.writeReport(input.writeFile); return 1;`,
    },
    "a hard link to the secret": {
      harm: "write",
      source: `${builtin("fs")}.linkSync(input.secretFile, input.writeFile); return 1;`,
    },
    "a link out of its folder": {
      harm: "secret",
      source: `
      const fs = ${builtin("fs")};
      fs.symlinkSync(input.secretFile, "link-" + input.mark);
      return fs.readFileSync("link-" + input.mark, "utf8");`,
    },
    "a link to the root, and a path through it": {
      harm: "secret",
      source: `
      const fs = ${builtin("fs")};
      fs.symlinkSync("/", "root-" + input.mark);
      return fs.readFileSync("root-" + input.mark + input.secretFile, "utf8");`,
    },
    "the root of a process in /proc": {
      harm: "secret",
      source: `return ${read(`"/proc/self/root" + input.secretFile`)};`,
    },
    "the variables of its own process in /proc": {
      harm: "secret",
      source: `return ${read(`"/proc/self/environ"`)};`,
    },
    "the variables of the host in /proc": {
      harm: "secret",
      source: `return ${read(`"/proc/" + input.hostPid + "/environ"`)};`,
    },
    "the variables of its parent in /proc": {
      harm: "secret",
      source: `return ${read(`"/proc/" + ${builtin("process")}.ppid + "/environ"`)};`,
    },
    "a signal to another process": {
      harm: "signal",
      source: `${builtin("process")}.kill(input.signalPid, "SIGUSR2"); return 1;`,
    },
    "a signal that ends the host": {
      harm: "death",
      source: `${builtin("process")}.kill(input.hostPid, "SIGKILL"); return 1;`,
    },
  },
);
