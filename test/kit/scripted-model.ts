export {
  calls,
  type ScriptLine,
  says,
  scriptedModel,
} from "../../src/testing/scripted-model.ts";
