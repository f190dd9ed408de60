export type { ReplayStatus } from "../agent/experiments/replay/compare-call.ts";
export {
  type ReplayedCall,
  type ReplayOptions,
  type ReplayReport,
  type ReplayRuntime,
  replayRun,
} from "../agent/experiments/replay.ts";
export { CassetteError } from "../testing/cassette/cassette-error.ts";
export type { CassetteEntry, RecordedOutcome } from "../testing/cassette/cassette-file.ts";
export type { CassetteCall, CassetteMatch, CassetteOptions } from "../testing/cassette/cassette-options.ts";
export type { CassetteReport, Drift, Miss, Place } from "../testing/cassette/report.ts";
export { type Cassette, cassette } from "../testing/cassette.ts";
export {
  calls,
  type ScriptedModel,
  type ScriptLine,
  says,
  scriptedModel,
} from "../testing/scripted-model.ts";
export { type TestExpect, type UseCassetteOptions, useCassette } from "../testing/use-cassette.ts";
