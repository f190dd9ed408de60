/** One chunk, because these pages share most modules. */
export { Agents } from "./pages/agents.tsx";
export { Approvals } from "./pages/approvals.tsx";
export { CallPage } from "./pages/call.tsx";
export { Calls } from "./pages/calls.tsx";
export { Experiments } from "./pages/experiments.tsx";
export { Fleet } from "./pages/fleet.tsx";
export { Permissions } from "./pages/permissions.tsx";
export { Review } from "./pages/review.tsx";
export { RunPage } from "./pages/run.tsx";
export { Runs } from "./pages/runs.tsx";
export { Servers } from "./pages/servers.tsx";
export { ToolPage } from "./pages/tool.tsx";
export { Tools } from "./pages/tools.tsx";
export { Keys } from "./shell/keys.tsx";
export { Palette } from "./shell/palette.tsx";
