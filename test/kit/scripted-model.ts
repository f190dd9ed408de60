export {
  calls,
  type Line,
  says,
  scriptedModel,
} from "../../src/testing/scripted-model.ts";
