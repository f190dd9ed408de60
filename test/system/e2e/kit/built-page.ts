import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { buildPage } from "./build-page.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Folder of the page, built once from the sources for all test files. */
    readonly builtPage: string;
  }
}

export default async (project: TestProject): Promise<() => void> => {
  const folder = mkdtempSync(join(tmpdir(), "haft-page-"));
  await buildPage(folder);
  project.provide("builtPage", folder);
  return () => rmSync(folder, { recursive: true, force: true });
};
