export {
  type ReplayedCall,
  type ReplayOptions,
  type ReplayReport,
  type ReplayRuntime,
  type ReplayStatus,
  replayRun,
} from "../agent/experiments/replay.ts";
export {
  type CassetteEntry,
  CassetteError,
  type CassetteReport,
  type Drift,
  type Miss,
  type Place,
  type RecordedOutcome,
} from "../testing/cassette/cassette-file.ts";
export type { CassetteCall, CassetteMatch, CassetteOptions } from "../testing/cassette/cassette-options.ts";
export { type Cassette, cassette } from "../testing/cassette.ts";
export {
  calls,
  type ScriptedModel,
  type ScriptLine,
  says,
  scriptedModel,
} from "../testing/scripted-model.ts";
export { type TestExpect, type UseCassetteOptions, useCassette } from "../testing/use-cassette.ts";
