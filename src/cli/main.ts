#!/usr/bin/env node
import { nodeVersionProblem } from "../base/platform/node-version.ts";

const nodeProblem = nodeVersionProblem(process.versions.node);
if (nodeProblem === undefined) {
  // An older Node may be unable to parse the other modules.
  const { enableCliCompileCache: keepCompiled } = await import("./compile-cache.ts");
  keepCompiled(process.env);
  const { runProcess } = await import("./run-process.ts");
  await runProcess();
} else {
  process.stderr.write(`${nodeProblem}\n`);
  process.exitCode = 1;
}
