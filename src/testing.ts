export type { ReplayStatus } from "./experiment/replay/compare-call.ts";
export {
  type Replay,
  type ReplayedCall,
  type ReplayOptions,
  type ReplayRuntime,
  replayRun,
} from "./experiment/replay.ts";
export { CassetteError } from "./testing/cassette/cassette-error.ts";
export type { CassetteCall, CassetteMatch, CassetteOptions } from "./testing/cassette/options.ts";
export type { CassetteReport, Drift, Miss, Place } from "./testing/cassette/report.ts";
export type { TapedOutcome, TapeEntry } from "./testing/cassette/tape.ts";
export { type Cassette, cassette } from "./testing/cassette.ts";
export { calls, type Line, type ScriptedModel, says, scriptedModel } from "./testing/scripted-model.ts";
export { type TestExpect, type UseCassetteOptions, useCassette } from "./testing/use-cassette.ts";
