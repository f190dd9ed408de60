// A server with a child process. Both write their pid to a file.
import { spawn } from "node:child_process";
import { renameSync, writeFileSync } from "node:fs";

const file = process.argv[2] as string;
const idle = "setInterval(() => {}, 1_000)";
const child = spawn(process.execPath, ["-e", idle], { stdio: "ignore" });
writeFileSync(`${file}.new`, `${process.pid} ${child.pid}`);
renameSync(`${file}.new`, file);
await import("./changing-server.ts").catch(() => {});
