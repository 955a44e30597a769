import { generateText, stepCountIs, tool } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { aiSdkDriver } from "./ai_sdk.js";

export default aiSdkDriver({ generateText, stepCountIs, tool }, MockLanguageModelV4);
