import type { OpenEngineName } from "../attack.ts";
import { denoEngine, nodeEngine, pyodideEngine, pythonEngine } from "./child.ts";
import type { OpenEngine } from "./open-engine.ts";
import { vmEngine } from "./vm.ts";
import { workerEngine } from "./worker.ts";

export const openEngineByName: Readonly<Record<OpenEngineName, OpenEngine>> = {
  vm: vmEngine,
  worker: workerEngine,
  node: nodeEngine,
  "deno -A": denoEngine,
  python3: pythonEngine,
  "pyodide in node": pyodideEngine,
};
