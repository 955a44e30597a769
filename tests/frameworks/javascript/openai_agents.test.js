// The rules of every wrapper, for openai_agents.
import { testWrapper } from "./contract.js";

await testWrapper("openai_agents");
