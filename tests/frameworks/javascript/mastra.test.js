// The rules of every wrapper, for mastra.
import { testWrapper } from "./contract.js";

await testWrapper("mastra");
