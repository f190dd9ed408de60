import { rmSync } from "node:fs";
import { afterAll } from "vitest";
import { createOperatorEnvironment } from "../../kit/operator-environment.ts";

// Child processes have no terminal: they trust their folder and get the operator secret.
const environment = await createOperatorEnvironment();
Object.assign(process.env, environment);

// A worker thread has no exit event of its own.
afterAll(() => rmSync(environment.HAFT_CONFIG_DIR!, { recursive: true, force: true }));
