export {
  calls,
  type Line,
  type ScriptedModel,
  says,
  scriptedModel,
} from "../../src/testing/scripted-model.ts";
