import { nodeVersionProblem } from "../../base/platform/node-version.ts";
import type { Check } from "./check.ts";

const neededByHaft = ["haft"];

export const checkNode = (version = process.versions.node): Check => {
  const problem = nodeVersionProblem(version);
  const check = { name: "node", neededBy: neededByHaft, version, about: "runs haft itself" };
  return problem === undefined ? { ...check, status: "works" } : { ...check, status: "broken", problem };
};

export const checkSqlite = async (neededBy: readonly string[]): Promise<Check> => {
  const check = { name: "sqlite", neededBy, about: "keeps a ledger in a file" };
  try {
    const { DatabaseSync } = await import("node:sqlite");
    const database = new DatabaseSync(":memory:");
    const row = database.prepare("select sqlite_version() as version").get();
    database.close();
    return { ...check, status: "works", version: String(row?.version) };
  } catch (error) {
    const problem = `This Node has no SQLite (${(error as Error).message}). Use a build of Node 22.19 or newer with it, or a ledger in PostgreSQL.`;
    return { ...check, status: "broken", problem };
  }
};
