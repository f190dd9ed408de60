#!/usr/bin/env node
import { nodeVersionProblem } from "./node-problem.ts";

const nodeProblem = nodeVersionProblem(process.versions.node);
if (nodeProblem === undefined) {
  // Only now: an older Node may not even be able to read what the rest is written in.
  const { enableCliCompileCache: keepCompiled } = await import("./compile-cache.ts");
  keepCompiled(process.env);
  const { runProcess } = await import("./run-process.ts");
  await runProcess();
} else {
  process.stderr.write(`haft: ${nodeProblem}\n`);
  process.exitCode = 1;
}
