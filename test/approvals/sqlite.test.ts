import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { approvalMatrix } from "./matrix.ts";

const folder = mkdtempSync(join(tmpdir(), "haft-approvals-"));
let count = 0;

afterAll(() => rmSync(folder, { recursive: true, force: true }));

approvalMatrix("SQLite", async () => `sqlite:${join(folder, `${++count}.db`)}`);
