import type { AnswerResult, Approval, FleetView, Page, Run } from "haft/studio";
import { studio } from "haft/studio";
import { expect, it, onTestFinished } from "vitest";
import { openQueue } from "../../../src/fleet/open-queue.ts";
import { readFleetOverview } from "../../../src/fleet/read-fleet-overview.ts";
import { studioClient } from "../../kit/studio-scene.ts";
import { waitFor } from "../../kit/wait-for.ts";
import { approvalWorkTool, clerkAgent, fleetScene } from "../kit/fleet-scene.ts";

const { two, work } = fleetScene();

it("a Studio with a fleet lists its workers, and its answer wakes the worker that resumes the run", async () => {
  const worked: string[] = [];
  const approvalTool = approvalWorkTool((name) => {
    worked.push(name);
    return "well";
  });
  const { url, front, back } = await two(approvalTool);
  await work(back, { agents: [clerkAgent()] });
  const page = studio(front, {
    fleet: async () => {
      const queue = await openQueue({ url, makesTables: false });
      return await readFleetOverview(queue).finally(() => queue.close());
    },
  });
  onTestFinished(() => page.close());
  const { get, post } = studioClient(page);
  const { runId } = await front.submit(clerkAgent(), "a letter");
  const listPending = async () => (await get<Page<Approval>>("/approvals", "ApprovalPage")).items;
  await waitFor(async () => expect(await listPending()).toHaveLength(1));
  const view = await get<FleetView>("/fleet");
  expect(view.workers).toHaveLength(1);
  const [approval] = await listPending();
  const answered = await post<AnswerResult>(`/approvals/${approval!.id}/answer`, { decision: "allow" });
  expect(answered).toMatchObject({ status: 200, continuesIn: "worker" });
  const status = async () => (await get<Run>(`/runs/${runId}`, "Run")).summary.status;
  await waitFor(async () => expect(await status()).toBe("done"));
  expect(worked).toEqual(["a letter"]);
  expect((await get<Run>(`/runs/${runId}`, "Run")).summary.kind).toBe("job");
});
