#!/usr/bin/env node
import { refuseNode } from "./needed-node.ts";

const refused = refuseNode(process.versions.node);
if (refused === undefined) {
  // Only now: an older Node may not even be able to read what the rest is written in.
  const { keepCompiled } = await import("./compile-cache.ts");
  keepCompiled(process.env);
  const { runProcess } = await import("./run-process.ts");
  await runProcess();
} else {
  process.stderr.write(`haft: ${refused}\n`);
  process.exitCode = 1;
}
