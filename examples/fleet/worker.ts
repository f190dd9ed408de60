// One worker process.
import { Haft } from "haft";
import { fleet, openWorker } from "haft/fleet";
import { clerk, tools } from "./shop.ts";

const haft = await Haft.open({ tools, ledger: process.env.DATABASE_URL!, fleet: fleet() });
const worker = await openWorker(haft, { agents: [clerk], concurrency: 1, sweepMs: 1_000 });

const leave = async (): Promise<void> => {
  await worker.drain();
  await haft.close();
  process.exit();
};
process.once("SIGTERM", leave);
// Ctrl-C reaches every process of a terminal; the parent process stops this one.
process.on("SIGINT", () => {});
process.once("disconnect", () => process.exit());
process.send?.("ready");
